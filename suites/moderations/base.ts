import { baseRequest } from '../generate/base.ts';

const fields = { input: 'The word is assay.' };

/** A harmless text, alone or in an array. The model is left to its default. */
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

/** The model names are those of the specification; the sample is the model configured for the target. */
export const createModerationByModel = baseRequest({
  operation: 'createModeration',
  roles: ['moderation'],
  only: ['body.model*'],
  ready: (context) => ({ fields, samples: { model: () => context.model('moderation') } }),
});
