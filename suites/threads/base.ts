import { resourceSamples } from '../assistants/samples.ts';
import { type BaseRequest, baseRequest, pathRequests, renewAfterPairs } from '../generate/requests.ts';
import { createSampleThread } from './samples.ts';

const ofResources = ['body.tool_resources*'];

export const createThread = baseRequest({
  operation: 'createThread',
  ready: (context) => ({ fields: {}, cheap: { metadata: { made_by: context.tag } } }),
});

export const createThreadWithResources: BaseRequest = baseRequest({
  operation: 'createThread',
  only: ofResources,
  ready: async (context) => ({ fields: {}, samples: await resourceSamples(context) }),
});

export const threadsByPath = pathRequests(['retrieveThread', 'deleteThread'], createSampleThread);

export const modifyThread = baseRequest({
  operation: 'modifyThread',
  ready: async (context) => ({
    path: await createSampleThread(context),
    fields: { metadata: { made_by: context.tag } },
    renew: renewAfterPairs(() => createSampleThread(context)),
  }),
});
