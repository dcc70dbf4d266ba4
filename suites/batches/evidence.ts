import { invalidFileUses } from '../generate/files/invalid-files.ts';
import { isBatchOver } from './samples.ts';

/** The evidence of rows: batches whose input is invalid, and what became of them. */
export const evidence = {
  'batch of an invalid file': invalidFileUses({
    create: 'createBatch',
    retrieve: 'retrieveBatch',
    fields: ['input_file_id'],
    purpose: 'batch',
    isOver: isBatchOver,
  }),
};
