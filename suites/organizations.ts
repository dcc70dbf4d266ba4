/** The lists that the text calls those of an organization. */
export const ORGANIZATIONS = [
  { family: 'files', list: 'listFiles', nouns: 'files' },
  { family: 'fine-tuning', list: 'listFineTuningJobs', nouns: 'fine-tuning jobs' },
  { family: 'batches', list: 'listBatches', nouns: 'batches' },
] as const;

/** The label of a list that a key of another organization asks for. */
export const SECOND_KEY = { pointer: 'header.authorization', keyword: 'second' } as const;
