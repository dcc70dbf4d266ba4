/**
 * Ids need not be unique across organizations, so an object is `identifiedBy` these members together with its
 * id.
 */
export const ORGANIZATION_LISTS = [
  {
    family: 'files',
    list: 'listFiles',
    nouns: 'files',
    identifiedBy: ['filename', 'purpose', 'bytes'],
  },
  {
    family: 'fine-tuning',
    list: 'listFineTuningJobs',
    nouns: 'fine-tuning jobs',
    identifiedBy: ['organization_id', 'model', 'training_file'],
  },
  {
    family: 'batches',
    list: 'listBatches',
    nouns: 'batches',
    identifiedBy: ['endpoint', 'input_file_id', 'completion_window'],
  },
] as const;

export const SECOND_KEY = { pointer: 'header.authorization', keyword: 'second' } as const;
