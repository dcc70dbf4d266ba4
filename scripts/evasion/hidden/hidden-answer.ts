import type { Exchange } from '../../../exchange/exchange.ts';
import type { Call } from '../../../judge/trace/call.ts';
import type { RecordedRun } from '../recorded-run.ts';

/** One way to show less. */
export interface HiddenAnswer {
  readonly kind:
    | 'empty-object'
    | 'empty-list'
    | 'empty-page'
    | 'without-newest'
    | 'cut-stream'
    | 'renamed-event';
  /** Id of the operation whose answers are changed. */
  readonly operation: string;
  /** The operation, and the place, event or query parameter. */
  readonly name: string;
  /** The name of the event that is changed; null for answers that are not streams. */
  readonly event: string | null;
  /** Pattern of the JSON pointers of the values that are emptied; null for other edits. */
  readonly place: string | null;
  /** The exchange with its answer changed; the very same exchange where there is nothing to hide. */
  readonly hide: (exchange: Exchange, call: Call) => Exchange;
}

/** The accepted calls of a run, by id of their operation. */
export function acceptedCalls({ calls }: RecordedRun): ReadonlyMap<string, readonly Call[]> {
  const found = new Map<string, Call[]>();
  for (const call of calls.values()) {
    if (call.responseClass !== 'accepted') continue;
    const known = found.get(call.operation.id) ?? [];
    found.set(call.operation.id, known);
    known.push(call);
  }
  return found;
}

/** An edit for the answers of one operation alone. */
export function ofOperation(operation: string, hide: HiddenAnswer['hide']): HiddenAnswer['hide'] {
  return (exchange, call) => (call.operation.id === operation ? hide(exchange, call) : exchange);
}
