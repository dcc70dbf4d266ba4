import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { resourceSamples } from '../assistants/samples.ts';
import { type BaseRequest, baseRequest, type ReadyRequest } from '../generate/requests.ts';
import { createAskingThread, createRunAssistant, isUnderWay } from './samples.ts';

export const createRun = baseRequest({
  operation: 'createRun',
  roles: ['assistant'],
  ready: async (context) => ({
    ...(await ready(context)),
    path: await createAskingThread(context),
    // A run locks its thread until it ends.
    renew: async (result) => (isUnderWay(result) ? createAskingThread(context) : undefined),
  }),
});

export const createThreadAndRun = baseRequest({
  operation: 'createThreadAndRun',
  roles: ['assistant'],
  ready,
});

export const createThreadAndRunWithResources: BaseRequest = baseRequest({
  operation: 'createThreadAndRun',
  roles: ['assistant'],
  only: ['body.tool_resources*'],
  ready: async (context) => {
    const own = await ready(context);
    return { ...own, samples: { ...own.samples, ...(await resourceSamples(context)) } };
  },
});

async function ready(context: ScenarioContext): Promise<ReadyRequest> {
  return {
    fields: { assistant_id: await createRunAssistant(context) },
    samples: { model: () => context.model('assistant') },
  };
}
