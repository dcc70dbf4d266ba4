import { invalidFileUses } from '../generate/invalid-files.ts';
import { batchResults } from './results.ts';
import { isBatchOver } from './samples.ts';

/** Named evidence for rows: completed batches with their files, and batches with invalid input. */
export const evidence = {
  'batch results': batchResults,
  'batch of an invalid file': invalidFileUses({
    create: 'createBatch',
    retrieve: 'retrieveBatch',
    fields: ['input_file_id'],
    purpose: 'batch',
    isOver: isBatchOver,
  }),
};
