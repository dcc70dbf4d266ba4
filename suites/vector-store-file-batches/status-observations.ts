import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Call, Collector, Evidence, Selector } from '../vocabulary/types.ts';

/** A response that shows a batch, and the earlier observation of it. */
export interface StatusObservation extends Evidence {
  readonly call: Call;
  /** The status that the response shows. */
  readonly status: string;
  /** The answer that created the batch; null where the trace does not show it. */
  readonly created: Call | null;
  /** The status before, and the call that showed it. */
  readonly before: { readonly status: string; readonly call: Call } | null;
}

/** Operations whose responses contain the state of a batch. */
export const STATUS_OPERATIONS = [
  'createVectorStoreFileBatch',
  'retrieveVectorStoreFileBatch',
  'cancelVectorStoreFileBatch',
] as const;

/** The states in which nothing is left to do. */
export const TERMINAL_STATUSES: readonly string[] = ['completed', 'failed', 'cancelled'];

/** The batch that a call is about, with its store; undefined where it is about none. */
export function calledBatch({ path, responseJson: answer, operation }: Call): string | undefined {
  const own = operation.id === 'createVectorStoreFileBatch' ? textAt(answer, 'id') : undefined;
  const id = path['batch_id'] ?? own;
  return id === undefined ? undefined : `${path['vector_store_id']}/${id}`;
}

/** Observations of batches, response by response. */
export const statusObservations: Selector<StatusObservation> = follow(
  STATUS_OPERATIONS,
  () => new MomentCollector(),
  'an answer with the status of a batch',
);

/** The creation of a batch, if the trace has it, and the latest report. */
interface State {
  readonly created: Call | null;
  readonly last: NonNullable<StatusObservation['before']>;
}

/** Relates each report of a batch to the latest one that ended before it began. */
class MomentCollector implements Collector<StatusObservation> {
  readonly #states = new LruMap<State>();

  call(call: Call): readonly StatusObservation[] {
    const [id, status] = [calledBatch(call), textAt(call.responseJson, 'status')];
    if (id === undefined || status === undefined) return [];
    const known = this.#states.get(id);
    const isCreation = call.operation.id === 'createVectorStoreFileBatch';
    const last = known?.last;
    const isOver = last !== undefined && precedes(last.call.exchange, call.exchange);
    const created = isCreation ? call : (known?.created ?? null);
    if (last === undefined || isOver) this.#states.set(id, { created, last: { status, call } });
    const earlier = isOver ? [last.call.exchange] : [];
    return [{ call, status, created, before: isOver ? last : null, exchanges: [...earlier, call.exchange] }];
  }
}
