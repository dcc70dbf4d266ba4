import type { CancellationPlan } from '../generate/cancellations.ts';
import { textAt } from '../vocabulary/json.ts';

/**
 * Jobs that have not ended, and the operation that cancels them. The states are those that the table leads from: in each of them a
 * job can be cancelled, unlike a batch that is validated.
 */
export const jobCancellationPlan: CancellationPlan = {
  cancel: 'cancelFineTuningJob',
  telling: ['createFineTuningJob', 'retrieveFineTuningJob'],
  running: ['validating_files', 'queued', 'running'],
  // A creation names its job in the answer alone.
  about: ({ path, responseJson: answer, operation }) =>
    operation.id === 'createFineTuningJob' ? textAt(answer, 'id') : path['fine_tuning_job_id'],
};
