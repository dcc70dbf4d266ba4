// Uses openai 4.36.0: assistants in the legacy form, with the header of v1.
import type OpenAICommon from 'openai';
import OpenAI, { toFile } from 'openai-v1';
import { type AssistantUse, useJobs, useMedia, useRuns, useText, useThread } from './shared-session.ts';

const TIME_TOOL = {
  type: 'function',
  function: { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'string' } } } },
} as const; // as: literal types

export async function runOpenAIV1Session(baseURL: string): Promise<void> {
  const client = new OpenAI({ baseURL, apiKey: 'key' });
  // as: both versions have the methods that the shared session calls
  const commonClient = client as unknown as OpenAICommon;
  await useText(commonClient);
  await useMedia(commonClient, toFile);
  await useJobs(commonClient, toFile);
  await useAssistants(client, commonClient);
}

async function useAssistants(
  { files, beta: { assistants, threads } }: OpenAI,
  commonClient: OpenAICommon,
): Promise<void> {
  const upload = async (name: string) =>
    files.create({ file: await toFile(Buffer.from('Some notes.'), name), purpose: 'assistants' });
  const [firstFile, secondFile] = [await upload('1.txt'), await upload('2.txt')];
  const assistant = await assistants.create({
    model: 'chat-large',
    name: 'A',
    tools: [{ type: 'retrieval' }, TIME_TOOL],
    file_ids: [firstFile.id],
  });
  await assistants.retrieve(assistant.id);
  await assistants.update(assistant.id, { description: 'Answers.' });
  for await (const _ of assistants.list({ limit: 20, order: 'asc' }));
  // Later versions have no assistant files.
  await assistants.files.create(assistant.id, { file_id: secondFile.id });
  await assistants.files.retrieve(assistant.id, secondFile.id);
  for await (const _ of assistants.files.list(assistant.id));
  await assistants.files.del(assistant.id, secondFile.id);
  // `userMessage` is a function, because the types of later versions reject `file_ids` in a literal. as: a literal type
  const userMessage = (content: string) => ({ role: 'user' as const, content, file_ids: [firstFile.id] });
  const use: AssistantUse = {
    assistant: assistant.id,
    messages: [userMessage('What time is it?'), userMessage('get_time')],
    runs: [{}, {}],
    output: 'noon',
  };
  const [thread, message] = await useThread(commonClient, use);
  for await (const _ of threads.messages.files.list(thread, message));
  await threads.messages.files.retrieve(thread, message, firstFile.id);
  await useRuns(commonClient, thread, use);
  await threads.del(thread);
  await assistants.del(assistant.id);
}
