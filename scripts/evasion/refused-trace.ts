import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type Note, type TraceItem } from '../../exchange/trace.ts';
import { refuse } from '../../proof/mutations/evasions.ts';
import type { RecordedRun } from './recorded-run.ts';

/**
 * The trace of a service that refuses these requests, without requests for objects that no response then shows.
 * `aftermath`: whether a scenario continues after a refusal, or ends there.
 */
export function refusedTrace(
  run: RecordedRun,
  refused: ReadonlySet<Exchange>,
  aftermath: 'continues' | 'blocked',
): readonly TraceItem[] {
  const shown = new Set<string>();
  const missing = new Set<string>();
  const neverCreated = new Set<string>();
  const blocked = new Map<string, Exchange>();
  return run.items.flatMap((item): readonly TraceItem[] => {
    if (isNote(item)) return withBlockNote(item, blocked);
    const { scenario } = item;
    const identifiers = run.identifiers.get(item) ?? { named: [], shown: [] };
    const namesLostObject = identifiers.named.some(
      (id) => neverCreated.has(id) || (missing.has(id) && !shown.has(id)),
    );
    // A blocked scenario keeps its writes, because lists of other scenarios show the objects that it creates.
    const isBlockedRead = scenario !== null && blocked.has(scenario) && item.request.method === 'GET';
    if (isBlockedRead || namesLostObject) {
      markLost(item);
      return [];
    }
    if (!refused.has(item)) {
      for (const id of identifiers.shown) if (!neverCreated.has(id)) shown.add(id);
      return [item];
    }
    markLost(item);
    if (aftermath === 'blocked' && scenario !== null) blocked.set(scenario, item);
    return [refuse(item)];
  });

  /** Marks the objects that no earlier response has shown as missing or, if the request is a POST, as never created. */
  function markLost(item: Exchange): void {
    const { shown: lost } = run.identifiers.get(item) ?? { shown: [] };
    const isCreation = item.request.method === 'POST';
    for (const id of lost) if (!shown.has(id)) (isCreation ? neverCreated : missing).add(id);
  }
}

function withBlockNote(note: Note, blocked: ReadonlyMap<string, Exchange>): readonly TraceItem[] {
  if (note.note !== 'scenario-ended') return [note];
  const by = blocked.get(note.scenario);
  if (by === undefined) return [note];
  const { method, target } = by.request;
  const path = target.split('?', 1)[0] ?? '';
  const obstacle = { kind: 'answered', method, path, status: 400 } as const;
  return [{ after: note.after, note: 'blocked', scenario: note.scenario, by: by.id, obstacle }, note];
}
