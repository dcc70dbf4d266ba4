import type { CancellationPlan } from '../generate/relations/cancellations.ts';
import { textAt } from '../vocabulary/json.ts';

/** Jobs that have not ended, and the operation that cancels them. */
export const jobCancellationPlan: CancellationPlan = {
  cancel: 'cancelFineTuningJob',
  telling: ['createFineTuningJob', 'retrieveFineTuningJob'],
  running: ['validating_files', 'queued', 'running'],
  about: ({ path, responseJson: answer, operation }) =>
    operation.id === 'createFineTuningJob' ? textAt(answer, 'id') : path['fine_tuning_job_id'],
};
