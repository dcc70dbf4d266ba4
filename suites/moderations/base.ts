import { base } from '../generate/base.ts';

export const createModeration = base({
  operation: 'createModeration',
  roles: ['moderation'],
  ready: (stage) => ({
    fields: { input: 'The word is assay.' },
    samples: {
      input: () => 'The word is assay.',
      'input(array)': () => ['The word is assay.', 'It is a word.'],
      model: () => stage.model('moderation'),
    },
  }),
});
