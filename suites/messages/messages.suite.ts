import { type Scenario, scenario } from '../../drive/scenario/scenario.ts';
import { uploadAssistantFiles } from '../assistants/samples.ts';
import { uploadSample } from '../files/samples.ts';
import { invalidFileCall } from '../generate/invalid-files.ts';
import { lifecycleScenario } from '../generate/lifecycle.ts';
import { listScenarios } from '../generate/list-scenarios.ts';

import { createdResource } from '../generate/resources.ts';
import { createSampleThread } from '../threads/samples.ts';
import { addMessage, addMessageToNewThread, createAnsweredThread } from './samples.ts';

const messageResource = createdResource('messages');

export const listPaging = listScenarios({
  operation: 'listMessages',
  owner: createSampleThread,
  element: (context, path, i) => addMessage(context, path, { content: `Message ${i}.` }),
  bulk: 101,
});

export const fileListPaging = listScenarios({
  operation: 'listMessageFiles',
  owner: async (context) => {
    // A message file may have the timestamp of its upload, so the uploads get distinct timestamps.
    const earlier = await uploadAssistantFiles(context, 2);
    await context.nextSecond();
    return addMessageToNewThread(context, {
      file_ids: [...earlier, ...(await uploadAssistantFiles(context, 3))],
    });
  },
});

const MARKUP = '<b>North</b> & "south" &amp; %20\r\n\teast.';
const LONG = 'North, east, south, west. '.repeat(400).trim();

export const lifecycle = lifecycleScenario({
  resource: messageResource,
  owner: createSampleThread,
  bodies: async (context) => [
    { role: 'user', content: 'Which way is north?' },
    {
      role: 'assistant',
      content: 'Where the compass points.\n\n"There", say Grüße, 你好, 🙂.',
      metadata: { made_by: context.tag, Purpose: 'ein Blick, 一瞥, 🎉, e\u0301' },
    },
    { role: 'user', content: MARKUP },
    { role: 'user', content: LONG },
    { role: 'user', content: 'See there.', file_ids: [...(await uploadAssistantFiles(context, 3))] },
  ],
  modifications: async (context) => [
    {},
    { metadata: { made_by: context.tag, Purpose: 'another look' } },
    { metadata: {} },
  ],
});

export const messageFilesLifeScenario = scenario({
  name: 'message-files.life',
  operations: ['listMessageFiles', 'retrieveMessageFile'],
  run: async (context) => {
    const ids = await uploadAssistantFiles(context, 3);
    const path = await addMessageToNewThread(context, { file_ids: [...ids] });
    await context.call('listMessageFiles', { path });
    for (const file_id of ids) await context.call('retrieveMessageFile', { path: { ...path, file_id } });
    await context.call('listMessageFiles', { path });
    const bare = await addMessageToNewThread(context);
    await context.call('listMessageFiles', { path: bare });
  },
});

export const messageFilesBetaFormScenario = scenario({
  name: 'message-files.beta-form',
  operations: ['retrieveMessageFile'],
  run: async (context) => {
    const [file_id = ''] = await uploadAssistantFiles(context, 1);
    const path = { ...(await addMessageToNewThread(context, { file_ids: [file_id] })), file_id };
    await context.call('retrieveMessageFile', { path, variant: 'v2' });
  },
});

export const messagesOfRunScenario = scenario({
  name: 'messages.of-run',
  operations: ['listMessages'],
  cost: ['tokens'],
  roles: ['assistant'],
  run: async (context) => {
    const { path, run } = await createAnsweredThread(context);
    await addMessage(context, path);
    await context.call('listMessages', { path, query: { limit: 100 } });
    await context.call('listMessages', { path, query: { run_id: run } });
    await context.call('listMessages', { path, query: { run_id: run, order: 'asc', limit: 1 } });
  },
});

export const messagesModifyScenario = scenario({
  name: 'messages.modify-more',
  operations: ['createMessage', 'modifyMessage', 'retrieveMessage'],
  run: async (context) => {
    const path = await createSampleThread(context);
    const [file = ''] = await uploadAssistantFiles(context, 1);
    const message_id = await addMessage(context, path, { file_ids: [file] });
    const metadata = { made_by: context.tag };
    const unknown = { role: 'user', content: 'See there.', file_ids: [context.unknownId('file-')] };
    const label = invalidFileCall('createMessage', 'file_ids', 'unknown');
    await context.call('createMessage', { ...label, path, body: unknown });
    for (const more of [{ content: 'Say other.' }, { role: 'assistant' }, { file_ids: [] }]) {
      await context.call('modifyMessage', { path: { ...path, message_id }, body: { metadata, ...more } });
      await context.call('retrieveMessage', { path: { ...path, message_id } });
    }
  },
});

export const messagesBetaFormScenario: Scenario = scenario({
  name: 'messages.beta-form',
  operations: ['createMessage', 'retrieveMessage', 'listMessages', 'modifyMessage'],
  run: async (context) => {
    const path = await createSampleThread(context);
    const content = [
      { type: 'text', text: 'Say ' },
      { type: 'text', text: 'assay.' },
    ];
    await context.call('createMessage', { path, variant: 'v2', body: { role: 'user', content } });
    const body = { role: 'user', content: 'Say assay.' };
    const made = await context.need('createMessage', { path, variant: 'v2', body });
    const own = { ...path, message_id: made.text('/id') };
    await context.call('retrieveMessage', { path: own, variant: 'v2' });
    const change = { metadata: { made_by: context.tag } };
    await context.call('modifyMessage', { path: own, variant: 'v2', body: change });
    await context.call('listMessages', { path, variant: 'v2' });
    // Last, because a target may offer messages without files.
    const image = { type: 'image_file', image_file: { file_id: await uploadSample(context, 'vision') } };
    await context.call('createMessage', { path, variant: 'v2', body: { role: 'user', content: [image] } });
    await context.call('listMessages', { path, variant: 'v2' });
  },
});

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
