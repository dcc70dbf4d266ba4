import { type CancellationPlan, cancellationsOf, cancelTimings } from '../generate/cancellations.ts';
import { invalidFileUses } from '../generate/invalid-files.ts';
import { textAt } from '../vocabulary/json.ts';
import { isJobOver } from './samples.ts';

/** A job can be cancelled in every state that is not terminal. */
const jobCancellationPlan: CancellationPlan = {
  cancel: 'cancelFineTuningJob',
  reporting: ['createFineTuningJob', 'retrieveFineTuningJob'],
  running: ['validating_files', 'queued', 'running'],
  // A creation names its job only in the response.
  about: ({ path, responseJson: answer, operation }) =>
    operation.id === 'createFineTuningJob' ? textAt(answer, 'id') : path['fine_tuning_job_id'],
};

const job = { create: 'createFineTuningJob', retrieve: 'retrieveFineTuningJob', isOver: isJobOver };

export const evidence = {
  'cancelled job': cancellationsOf(jobCancellationPlan),
  'timing of a cancelled job': cancelTimings(jobCancellationPlan),
  'job of an invalid file': invalidFileUses({
    ...job,
    fields: ['training_file', 'validation_file'],
    purpose: 'fine-tune',
  }),
  // A model is treated like a file, because a field of the job names it as well.
  'job of an unknown model': invalidFileUses({ ...job, fields: ['model'], purpose: '' }),
};
