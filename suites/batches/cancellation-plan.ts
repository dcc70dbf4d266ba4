import type { CancellationPlan } from '../generate/relations/cancellations.ts';
import { textAt } from '../vocabulary/json.ts';

/** Batches in progress, and the operation that cancels them. One that is validated is not in progress yet. */
export const batchCancellationPlan: CancellationPlan = {
  cancel: 'cancelBatch',
  telling: ['createBatch', 'retrieveBatch'],
  running: ['in_progress'],
  about: ({ path, responseJson: answer, operation }) =>
    operation.id === 'createBatch' ? textAt(answer, 'id') : path['batch_id'],
};
