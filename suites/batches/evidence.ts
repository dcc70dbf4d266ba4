import { cancellationsOf, cancelTimings } from '../generate/cancellations.ts';
import { invalidFileUses } from '../generate/invalid-files.ts';
import { batchResults } from './results.ts';
import { batchCancellationPlan, isBatchOver } from './samples.ts';

/** Named evidence for rows: completed batches with their files, and batches with invalid input. */
export const evidence = {
  'batch results': batchResults,
  'cancelled batch': cancellationsOf(batchCancellationPlan),
  // A batch under validation is not in progress yet, but may be cancelled in time.
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
