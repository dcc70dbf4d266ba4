import { scenario } from '../../drive/scenario/scenario.ts';
import { offeredToolResources } from '../assistants/samples.ts';
import { lifecycleScenario } from '../generate/lifecycle.ts';
import { createdResource } from '../generate/resources.ts';

import { createSampleThread } from './samples.ts';

const threadResource = createdResource('threads');

export const lifecycle = lifecycleScenario({
  resource: threadResource,
  bodies: async (context) => [
    {},
    {
      metadata: { made_by: context.tag, Purpose: 'ein Blick, 一瞥, 🎉, e\u0301' },
      tool_resources: await offeredToolResources(context),
    },
  ],
  modifications: async (context) => [
    {},
    { metadata: { made_by: context.tag, Purpose: 'another look' } },
    { tool_resources: await offeredToolResources(context) },
    { metadata: {} },
  ],
});

export const threadsConversationScenario = scenario({
  name: 'threads.conversation',
  operations: ['createThread'],
  run: async (context) => {
    const messages = [
      { role: 'user', content: 'Which way is north?' },
      { role: 'assistant', content: 'Where the compass points.' },
      { role: 'user', content: 'And south?' },
    ];
    const path = await createSampleThread(context, { messages });
    await context.call('listMessages', { path, query: { limit: 100 } });
    await context.call('listMessages', { path: await createSampleThread(context), query: { limit: 100 } });
  },
});
