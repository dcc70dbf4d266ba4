import type { Stage } from '../../drive/scenario.ts';
import { files } from '../assistants/samples.ts';
import { base } from '../generate/base.ts';
import { thread } from '../threads/samples.ts';
import { answered, message, ownMessage } from './samples.ts';

const MOST_FILES = 10;
const fields = { role: 'user', content: 'Say "assay".' };

export const createMessage = base({
  operation: 'createMessage',
  ready: async (stage) => ({ path: await thread(stage), fields }),
});

/** One more file than a message takes, since each file counts once. */
export const createMessageWithFiles = base({
  operation: 'createMessage',
  only: ['body.file_ids*'],
  ready: async (stage) => {
    const ids = await files(stage, MOST_FILES + 1);
    return { path: await thread(stage), fields, samples: { 'file_ids[]': (i) => ids[i] ?? '' } };
  },
});

export const listMessages = base({
  operation: 'listMessages',
  ready: async (stage) => {
    const path = await thread(stage);
    const cursor = await message(stage, path);
    return { path, samples: { 'query.after': () => cursor, 'query.before': () => cursor } };
  },
});

/** Only a run that there was is sure to be taken for one. */
export const listMessagesOfRun = base({
  operation: 'listMessages',
  only: ['query.run_id'],
  cost: ['tokens'],
  roles: ['assistant'],
  ready: async (stage) => {
    const { path, run } = await answered(stage);
    return { path, samples: { 'query.run_id': () => run } };
  },
});

export const retrieveMessage = base({ operation: 'retrieveMessage', ready: ofOwn });

export const modifyMessage = base({
  operation: 'modifyMessage',
  ready: async (stage) => ({ ...(await ofOwn(stage)), fields: { metadata: { made_by: stage.tag } } }),
});

export const listMessageFiles = base({
  operation: 'listMessageFiles',
  ready: async (stage) => {
    const [file = ''] = await files(stage, 1);
    const path = await ownMessage(stage, { file_ids: [file] });
    return { path, samples: { 'query.after': () => file, 'query.before': () => file } };
  },
});

export const retrieveMessageFile = base({
  operation: 'retrieveMessageFile',
  ready: async (stage) => {
    const [file_id = ''] = await files(stage, 1);
    return { path: { ...(await ownMessage(stage, { file_ids: [file_id] })), file_id } };
  },
});

async function ofOwn(stage: Stage) {
  return { path: await ownMessage(stage) };
}
