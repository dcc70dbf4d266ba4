import { baseRequest } from '../generate/requests.ts';
import { createRunAssistant, createThreadWithPrompt, mayLockThread } from './samples.ts';

export const createRun = baseRequest({
  operation: 'createRun',
  roles: ['assistant'],
  ready: async (context) => ({
    fields: { assistant_id: await createRunAssistant(context) },
    samples: { model: () => context.model('assistant') },
    path: await createThreadWithPrompt(context),
    // A run locks its thread until it ends.
    renew: async (result) => (mayLockThread(result) ? createThreadWithPrompt(context) : undefined),
  }),
});
