import type { CancellationPlan } from '../generate/cancellations.ts';
import { textAt } from '../vocabulary/json.ts';

/**
 * Jobs that have not ended, and the operation that cancels them. In each state from which the table leads to another,
 * a job can be cancelled, unlike a batch that is validated.
 */
export const jobCancellationPlan: CancellationPlan = {
  cancel: 'cancelFineTuningJob',
  telling: ['createFineTuningJob', 'retrieveFineTuningJob'],
  running: ['validating_files', 'queued', 'running'],
  // A creation names its job only in the response.
  about: ({ path, responseJson: answer, operation }) =>
    operation.id === 'createFineTuningJob' ? textAt(answer, 'id') : path['fine_tuning_job_id'],
};
