import { baseRequest } from '../generate/base.ts';

const fields = { input: 'The word is assay.' };

export const createModeration = baseRequest({
  operation: 'createModeration',
  ready: () => ({
    fields,
    samples: {
      input: () => 'The word is assay.',
      'input(array)': () => ['The word is assay.', 'It is a word.'],
    },
  }),
});

/** The names are those that the specification gives; the sample is the one that the target is told to have. */
export const createModerationByModel = baseRequest({
  operation: 'createModeration',
  roles: ['moderation'],
  only: ['body.model*'],
  ready: (context) => ({ fields, samples: { model: () => context.model('moderation') } }),
});
