/**
 * The lists that the specification describes as belonging to an organization. `same`: members that identify an object
 * together with its id, because ids need not be unique across organizations.
 */
export const ORGANIZATION_LISTS = [
  { family: 'files', list: 'listFiles', nouns: 'files', same: ['filename', 'purpose', 'bytes'] },
  {
    family: 'fine-tuning',
    list: 'listFineTuningJobs',
    nouns: 'fine-tuning jobs',
    same: ['organization_id', 'model', 'training_file'],
  },
  {
    family: 'batches',
    list: 'listBatches',
    nouns: 'batches',
    same: ['endpoint', 'input_file_id', 'completion_window'],
  },
] as const;

/** The label of a list request with the key of another organization. */
export const SECOND_KEY = { pointer: 'header.authorization', keyword: 'second' } as const;
