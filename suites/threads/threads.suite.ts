import { scenario } from '../../drive/scenario/scenario.ts';
import { createToolResources } from '../assistants/samples.ts';
import { lifecycleScenario } from '../generate/relations/lifecycle.ts';
import { createdResource } from '../generate/relations/resources.ts';
import { addMessageToNewThread } from '../messages/samples.ts';
import { createSampleThread } from './samples.ts';

const threadResource = createdResource('threads');

/** A message whose thread is deleted. */
export const messagesOfDeletedScenario = scenario({
  name: 'threads.delete-with-messages',
  operations: ['createThread', 'deleteThread', 'createMessage', 'retrieveMessage'],
  run: async (context) => {
    const path = await addMessageToNewThread(context);
    await context.call('retrieveMessage', { path });
    await context.call('deleteThread', { path: { thread_id: path.thread_id } });
    await context.call('retrieveMessage', { path });
  },
});

export const lifecycle = lifecycleScenario({
  resource: threadResource,
  bodies: async (context) => [
    {},
    {
      metadata: { made_by: context.tag, Purpose: 'ein Blick, 一瞥' },
      tool_resources: await createToolResources(context),
    },
  ],
  modifications: async (context) => [
    {},
    { metadata: { made_by: context.tag, Purpose: 'another look' } },
    { tool_resources: await createToolResources(context) },
    { metadata: {} },
  ],
});

/** A thread that begins with messages of both roles. */
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
