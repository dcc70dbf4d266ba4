import { type Cancellation, cancellationsOf } from '../generate/cancellations.ts';
import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Call, Evidence, Selector } from '../vocabulary/types.ts';

export interface StatusObservation extends Evidence {
  readonly call: Call;
  readonly state: string;
  /** A response that had ended before this request; null if none is known. */
  readonly before: { readonly state: string; readonly call: Call } | null;
}

export const STATUS_OPERATIONS = [
  'createVectorStoreFileBatch',
  'retrieveVectorStoreFileBatch',
  'cancelVectorStoreFileBatch',
] as const;

function batchKeyOf({ path, responseJson: answer, operation }: Call): string | undefined {
  const createdId = operation.id === 'createVectorStoreFileBatch' ? textAt(answer, 'id') : undefined;
  const id = path['batch_id'] ?? createdId;
  return id === undefined ? undefined : `${path['vector_store_id']}/${id}`;
}

export const fileBatchCancellationPlan = {
  cancel: 'cancelVectorStoreFileBatch',
  reporting: STATUS_OPERATIONS,
  running: ['in_progress'],
  about: batchKeyOf,
} as const;

/** Accepted cancellations of batches in progress, and rejected ones after which a batch is still in progress. */
export const cancellations: Selector<Cancellation> = cancellationsOf(fileBatchCancellationPlan);

export const statusObservations: Selector<StatusObservation> = follow(
  STATUS_OPERATIONS,
  () => {
    const states = new LruMap<NonNullable<StatusObservation['before']>>();
    return (call) => {
      const [id, state] = [batchKeyOf(call), textAt(call.responseJson, 'status')];
      if (id === undefined || state === undefined) return [];
      const last = states.get(id);
      const isInOrder = last !== undefined && precedes(last.call.exchange, call.exchange);
      if (last === undefined || isInOrder) states.set(id, { state, call });
      const earlier = isInOrder ? [last.call.exchange] : [];
      return [{ call, state, before: isInOrder ? last : null, exchanges: [...earlier, call.exchange] }];
    };
  },
  'an answer with the status of a batch',
);
