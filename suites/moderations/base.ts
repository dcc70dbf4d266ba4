import { base } from '../generate/base.ts';

const fields = { input: 'The word is assay.' };

export const createModeration = base({
  operation: 'createModeration',
  ready: () => ({
    fields,
    samples: {
      input: () => 'The word is assay.',
      'input(array)': () => ['The word is assay.', 'It is a word.'],
    },
  }),
});

/** Only this needs a model that somebody has named. */
export const createModerationByModel = base({
  operation: 'createModeration',
  roles: ['moderation'],
  only: ['body.model*'],
  ready: (stage) => ({ fields, samples: { model: () => stage.model('moderation') } }),
});
