import { type Scenario, scenario } from '../../drive/scenario.ts';
import { files } from '../assistants/samples.ts';
import { uploaded } from '../files/samples.ts';
import { authScenarios } from '../generate/auth.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { lifeScenario } from '../generate/relations/life.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import { thread } from '../threads/samples.ts';
import * as bases from './base.ts';
import { aMessage } from './resources.ts';
import { answered, message, ownMessage } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

/** One more than the longest page: to be seen whole only by walking. */
export const lists = listScenarios({
  operation: 'listMessages',
  owner: thread,
  element: (stage, path, i) => message(stage, path, { content: `Message ${i}.` }),
  bulk: 101,
});

export const fileLists = listScenarios({
  operation: 'listMessageFiles',
  owner: async (stage) => {
    // Where the time of a file is that of its upload, they are of different seconds.
    const earlier = await files(stage, 2);
    await stage.nextSecond();
    return ownMessage(stage, { file_ids: [...earlier, ...(await files(stage, 3))] });
  },
});

/** Of both roles, of one line and of many, with files and without. */
export const life = lifeScenario({
  resource: aMessage,
  shows: ['metadata:*', 'thread.message:*', 'metadata.modify.*'],
  owner: thread,
  bodies: async (stage) => [
    { role: 'user', content: 'Which way is north?' },
    {
      role: 'assistant',
      content: 'Where the compass points.\n\n"There", say Grüße, 你好, 🙂.',
      metadata: { made_by: stage.tag, purpose: 'a look' },
    },
    { role: 'user', content: 'See there.', file_ids: [...(await files(stage, 3))] },
  ],
  modifications: async (stage) => [
    {},
    { metadata: { made_by: stage.tag, purpose: 'another look' } },
    { metadata: {} },
  ],
});

/** The files of a message, one by one and as a list. */
export const messageFiles = scenario({
  name: 'message-files.life',
  family: 'message-files',
  operations: ['listMessageFiles', 'retrieveMessageFile'],
  shows: [
    'message-files.*',
    'thread.message.file:*',
    'thread.message.file.list:*',
    ...answerOf('MessageFile'),
  ],
  cost: ['free'],
  roles: [],
  run: async (stage) => {
    const ids = await files(stage, 3);
    const path = await ownMessage(stage, { file_ids: [...ids] });
    await stage.call('listMessageFiles', { path });
    for (const file_id of ids) await stage.call('retrieveMessageFile', { path: { ...path, file_id } });
    await stage.call('listMessageFiles', { path });
    const bare = await ownMessage(stage);
    await stage.call('listMessageFiles', { path: bare });
  },
});

function answerOf(name: string): readonly string[] {
  return [`list${name}s:answer#*`, `retrieve${name}:answer#*`];
}

/** The messages of a run among those of the thread. */
export const ofRun = scenario({
  name: 'messages.of-run',
  family: 'messages',
  operations: ['listMessages'],
  // The stream of the run shows messages in the making, and what its tools have.
  shows: [
    'listMessages.page.filter-run-id',
    'listMessages.page.closure',
    'thread.message:*',
    'tool_resources:#type',
  ],
  cost: ['tokens'],
  roles: ['assistant'],
  run: async (stage) => {
    const { path, run } = await answered(stage);
    await message(stage, path);
    await stage.call('listMessages', { path, query: { limit: 100 } });
    await stage.call('listMessages', { path, query: { run_id: run } });
    await stage.call('listMessages', { path, query: { run_id: run, order: 'asc', limit: 1 } });
  },
});

/** What the beta form makes of messages. */
export const betaForm: Scenario = scenario({
  name: 'messages.beta-form',
  family: 'messages',
  operations: ['createMessage', 'retrieveMessage', 'listMessages', 'modifyMessage'],
  shows: ['messages.content.*', 'messages.form.*', 'thread.message.list:*'],
  cost: ['free'],
  roles: [],
  run: async (stage) => {
    const path = await thread(stage);
    const content = [
      { type: 'text', text: 'Say ' },
      { type: 'text', text: '"assay".' },
    ];
    await stage.call('createMessage', { path, variant: 'v2', body: { role: 'user', content } });
    const image = { type: 'image_file', image_file: { file_id: await uploaded(stage, 'vision') } };
    await stage.call('createMessage', { path, variant: 'v2', body: { role: 'user', content: [image] } });
    const body = { role: 'user', content: 'Say "assay".' };
    const made = await stage.need('createMessage', { path, variant: 'v2', body });
    const own = { ...path, message_id: made.text('/id') };
    await stage.call('retrieveMessage', { path: own, variant: 'v2' });
    const change = { metadata: { made_by: stage.tag } };
    await stage.call('modifyMessage', { path: own, variant: 'v2', body: change });
    await stage.call('listMessages', { path, variant: 'v2' });
  },
});
