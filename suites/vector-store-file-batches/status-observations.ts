import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Call, Evidence, Selector } from '../vocabulary/types.ts';

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
  () => {
    /** The creation of each batch, if the trace has it, and the latest report that ended before the next one began. */
    const states = new LruMap<{ created: Call | null; last: NonNullable<StatusObservation['before']> }>();
    return (call) => {
      const [id, status] = [calledBatch(call), textAt(call.responseJson, 'status')];
      if (id === undefined || status === undefined) return [];
      const { last, created: known = null } = states.get(id) ?? {};
      const isOver = last !== undefined && precedes(last.call.exchange, call.exchange);
      const created = call.operation.id === 'createVectorStoreFileBatch' ? call : known;
      if (last === undefined || isOver) states.set(id, { created, last: { status, call } });
      const earlier = isOver ? [last.call.exchange] : [];
      return [
        { call, status, created, before: isOver ? last : null, exchanges: [...earlier, call.exchange] },
      ];
    };
  },
  'an answer with the status of a batch',
);
