import { invalidFileUses } from '../generate/invalid-files.ts';
import { batchResults } from './results.ts';
import { isBatchOver } from './samples.ts';

/** The evidence of rows: completed batches with their files, and batches whose input is invalid. */
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
