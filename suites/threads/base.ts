import type { Stage } from '../../drive/scenario.ts';
import { resources } from '../assistants/samples.ts';
import { type Base, base, type Ready } from '../generate/base.ts';
import { thread } from './samples.ts';

const ofResources = ['body.tool_resources*'];

export const createThread = base({
  operation: 'createThread',
  ready: (stage) => ({
    fields: {},
    cheap: { metadata: { made_by: stage.tag } },
    samples: {
      'messages[]': () => ({ role: 'user', content: 'Say "assay".' }),
      'messages[].content': () => 'Say "assay".',
    },
  }),
});

export const createThreadWithResources: Base = base({
  operation: 'createThread',
  only: ofResources,
  ready: async (stage) => ({ fields: {}, samples: await resourceSamples(stage) }),
});

export const retrieveThread = base({ operation: 'retrieveThread', ready: ofOwn });

export const modifyThread = base({
  operation: 'modifyThread',
  ready: async (stage) => ({ ...(await ofOwn(stage)), fields: { metadata: { made_by: stage.tag } } }),
});

export const deleteThread = base({ operation: 'deleteThread', ready: ofOwn });

async function ofOwn(stage: Stage) {
  return { path: await thread(stage) };
}

async function resourceSamples(stage: Stage): Promise<NonNullable<Ready['samples']>> {
  const { code_interpreter: code = null, file_search: search = null } = await resources(stage);
  return {
    tool_resources: () => ({ code_interpreter: code, file_search: search }),
    'tool_resources.code_interpreter': () => code,
    'tool_resources.file_search': () => search,
  };
}
