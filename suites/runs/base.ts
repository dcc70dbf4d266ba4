import { baseRequest } from '../generate/requests.ts';
import { createAskingThread, createRunAssistant, isUnderWay } from './samples.ts';

export const createRun = baseRequest({
  operation: 'createRun',
  roles: ['assistant'],
  ready: async (context) => ({
    fields: { assistant_id: await createRunAssistant(context) },
    samples: { model: () => context.model('assistant') },
    path: await createAskingThread(context),
    // A run locks its thread until it ends.
    renew: async (result) => (isUnderWay(result) ? createAskingThread(context) : undefined),
  }),
});
