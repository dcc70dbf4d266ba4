import { cancellationsOf, cancelTimings } from '../generate/cancellations.ts';
import { invalidFileUses } from '../generate/invalid-files.ts';
import { batchResults } from './results.ts';
import { batchCancellationPlan, isBatchOver } from './samples.ts';

export const evidence = {
  'batch results': batchResults,
  'cancelled batch': cancellationsOf(batchCancellationPlan),
  // A cancellation during validation is in time, although the batch is not in progress yet.
  'timing of a cancelled batch': cancelTimings({
    ...batchCancellationPlan,
    running: ['validating', 'in_progress'],
  }),
  'batch of an invalid file': invalidFileUses({
    create: 'createBatch',
    retrieve: 'retrieveBatch',
    fields: ['input_file_id'],
    purpose: 'batch',
    isOver: isBatchOver,
  }),
};
