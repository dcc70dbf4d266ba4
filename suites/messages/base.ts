import { uploadAssistantFiles } from '../assistants/samples.ts';
import { baseRequest, pathRequests, renewAfterPairs } from '../generate/requests.ts';
import { createSampleThread } from '../threads/samples.ts';
import { addMessage, addMessageToNewThread, createAnsweredThread } from './samples.ts';

const MOST_FILES = 10;

export const createMessage = baseRequest({
  operation: 'createMessage',
  ready: async (context) => ({ path: await createSampleThread(context) }),
});

/** Uploads one file more than a message accepts; duplicates count once. */
export const createMessageWithFiles = baseRequest({
  operation: 'createMessage',
  only: ['body.file_ids*'],
  ready: async (context) => {
    const ids = await uploadAssistantFiles(context, MOST_FILES + 1);
    return { path: await createSampleThread(context), samples: { 'file_ids[]': (i) => ids[i] ?? '' } };
  },
});

export const listMessages = baseRequest({
  operation: 'listMessages',
  ready: async (context) => {
    const path = await createSampleThread(context);
    const cursor = await addMessage(context, path);
    return { path, samples: { 'query.after': () => cursor, 'query.before': () => cursor } };
  },
});

export const listMessagesOfRun = baseRequest({
  operation: 'listMessages',
  only: ['query.run_id'],
  cost: ['tokens'],
  roles: ['assistant'],
  ready: async (context) => {
    const { path, run } = await createAnsweredThread(context);
    return { path, samples: { 'query.run_id': () => run } };
  },
});

export const messagesByPath = pathRequests(['retrieveMessage'], addMessageToNewThread);

export const modifyMessage = baseRequest({
  operation: 'modifyMessage',
  ready: async (context) => ({
    path: await addMessageToNewThread(context),
    fields: { metadata: { made_by: context.tag } },
    renew: renewAfterPairs(() => addMessageToNewThread(context)),
  }),
});

export const listMessageFiles = baseRequest({
  operation: 'listMessageFiles',
  ready: async (context) => {
    const [file = ''] = await uploadAssistantFiles(context, 1);
    const path = await addMessageToNewThread(context, { file_ids: [file] });
    return { path, samples: { 'query.after': () => file, 'query.before': () => file } };
  },
});

export const retrieveMessageFile = baseRequest({
  operation: 'retrieveMessageFile',
  ready: async (context) => {
    const [file_id = ''] = await uploadAssistantFiles(context, 1);
    return { path: { ...(await addMessageToNewThread(context, { file_ids: [file_id] })), file_id } };
  },
});
