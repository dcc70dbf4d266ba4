// Cancellation of vector store file batches, judged as that of other long work.

import { type Cancellation, cancellationRequirements as cancellationsOf } from '../generate/cancellations.ts';
import type { Selector } from '../vocabulary/types.ts';
import { calledBatch, STATUS_OPERATIONS } from './status-observations.ts';

/** Batches in progress, and the operation that cancels them. */
export const fileBatchCancellationPlan = {
  cancel: 'cancelVectorStoreFileBatch',
  telling: STATUS_OPERATIONS,
  running: ['in_progress'],
  about: calledBatch,
} as const;

/** Cancellations of batches that were in progress: accepted ones, and refused ones that something follows. */
export const cancellations: Selector<Cancellation> = cancellationsOf(fileBatchCancellationPlan);
