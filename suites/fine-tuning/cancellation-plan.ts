import type { CancellationPlan } from '../generate/cancellations.ts';
import { textAt } from '../vocabulary/json.ts';

/** A job can be cancelled in every state that is not terminal. */
export const jobCancellationPlan: CancellationPlan = {
  cancel: 'cancelFineTuningJob',
  reporting: ['createFineTuningJob', 'retrieveFineTuningJob'],
  running: ['validating_files', 'queued', 'running'],
  // A creation names its job only in the response.
  about: ({ path, responseJson: answer, operation }) =>
    operation.id === 'createFineTuningJob' ? textAt(answer, 'id') : path['fine_tuning_job_id'],
};
