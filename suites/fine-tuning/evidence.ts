import { cancellationsOf, cancelTimings } from '../generate/cancellations.ts';
import { invalidFileUses } from '../generate/invalid-files.ts';
import { jobCancellationPlan } from './cancellation-plan.ts';
import { isJobOver } from './samples.ts';

const job = { create: 'createFineTuningJob', retrieve: 'retrieveFineTuningJob', isOver: isJobOver };

/** Evidence that rows of `requirements.json` name. A model is treated like a file: a field of the job names it, too. */
export const evidence = {
  'cancelled job': cancellationsOf(jobCancellationPlan),
  'timing of a cancelled job': cancelTimings(jobCancellationPlan),
  'job of an invalid file': invalidFileUses({
    ...job,
    fields: ['training_file', 'validation_file'],
    purpose: 'fine-tune',
  }),
  'job of an unknown model': invalidFileUses({ ...job, fields: ['model'], purpose: '' }),
};
