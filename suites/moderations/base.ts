import { baseRequest } from '../generate/requests.ts';

/** The input is in `suites/data/requests/moderations.json`. The model is left to its default. */
export const createModeration = baseRequest({ operation: 'createModeration', ready: () => ({}) });

/** The model names come from the specification; the sample is the model configured for the target. */
export const createModerationByModel = baseRequest({
  operation: 'createModeration',
  roles: ['moderation'],
  only: ['body.model*'],
  ready: (context) => ({ samples: { model: () => context.model('moderation') } }),
});
