// Traces of a service that refuses one request, made from the trace of a service that accepts it.
import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type Note, type TraceItem } from '../../exchange/trace.ts';
import { withJsonResponse } from '../../proof/mutations/exchanges.ts';
import type { RecordedRun } from './recorded-run.ts';

/** What a scenario does after a refusal: it goes on without what the answer would have shown, or it ends there. */
export type Aftermath = 'continues' | 'blocked';

/** Answers these exchanges with 400 and takes out what depends on them: requests that name what nothing shows any more. */
export function refusedTrace(
  run: RecordedRun,
  refused: ReadonlySet<Exchange>,
  aftermath: Aftermath,
): readonly TraceItem[] {
  const shown = new Set<string>();
  const missing = new Set<string>();
  const never = new Set<string>();
  const blocked = new Map<string, Exchange>();
  return run.items.flatMap((item): readonly TraceItem[] => {
    if (isNote(item)) return withBlockNote(item, blocked);
    const { scenario } = item;
    const own = run.identifiers.get(item) ?? { named: [], shown: [] };
    const isLost = own.named.some((id) => never.has(id) || (missing.has(id) && !shown.has(id)));
    // What a blocked scenario creates stays, for its lists are also those of others; it is asked nothing.
    const isOver = scenario !== null && blocked.has(scenario) && item.request.method === 'GET';
    if (isOver || isLost) {
      drop(item);
      return [];
    }
    if (!refused.has(item)) {
      for (const id of own.shown) if (!never.has(id)) shown.add(id);
      return [item];
    }
    drop(item);
    if (aftermath === 'blocked' && scenario !== null) blocked.set(scenario, item);
    return [
      withJsonResponse(item, 400, {
        error: { message: 'No.', type: 'invalid_request_error', param: null, code: null },
      }),
    ];
  });

  /** What an answer that is not given would have shown is missing; what it would have created never exists. */
  function drop(item: Exchange): void {
    const { shown: lost } = run.identifiers.get(item) ?? { shown: [] };
    const isCreation = item.request.method === 'POST';
    for (const id of lost) if (!shown.has(id)) (isCreation ? never : missing).add(id);
  }
}

/** A scenario that was blocked ends with a note that says so. */
function withBlockNote(note: Note, blocked: ReadonlyMap<string, Exchange>): readonly TraceItem[] {
  const by = note.note === 'scenario-ended' ? blocked.get(note.scenario) : undefined;
  if (note.note !== 'scenario-ended' || by === undefined) return [note];
  const { method, target } = by.request;
  const path = target.split('?', 1)[0] ?? '';
  const obstacle = { kind: 'answered', method, path, status: 400 } as const;
  return [{ after: note.after, note: 'blocked', scenario: note.scenario, by: by.id, obstacle }, note];
}
