// openai 4.36.0: assistants in the legacy form, with the header of v1.
import type OpenAICommon from 'openai';
import OpenAI, { toFile } from 'openai-v1';
import {
  type AssistantUse,
  jobSession,
  mediaSession,
  runSteps,
  textSession,
  threadSteps,
} from './shared-session.ts';

const TIME = {
  type: 'function',
  function: { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'string' } } } },
} as const; // as: literal types

export async function openAIV1Session(baseURL: string): Promise<void> {
  const client = new OpenAI({ baseURL, apiKey: 'key' });
  // as: the methods called through it are the same
  const same = client as unknown as OpenAICommon;
  await textSession(same);
  await mediaSession(same, toFile);
  await jobSession(same, toFile);
  await useAssistants(client, same);
}

async function useAssistants(
  { files, beta: { assistants: all, threads } }: OpenAI,
  same: OpenAICommon,
): Promise<void> {
  const upload = async (name: string) =>
    files.create({ file: await toFile(Buffer.from('Some notes.'), name), purpose: 'assistants' });
  const [one, two] = [await upload('1.txt'), await upload('2.txt')];
  const assistant = await all.create({
    model: 'chat-large',
    name: 'A',
    tools: [{ type: 'retrieval' }, TIME],
    file_ids: [one.id],
  });
  await all.retrieve(assistant.id);
  await all.update(assistant.id, { description: 'Answers.' });
  for await (const _ of all.list({ limit: 20, order: 'asc' }));
  // Only this version has assistant files.
  await all.files.create(assistant.id, { file_id: two.id });
  await all.files.retrieve(assistant.id, two.id);
  for await (const _ of all.files.list(assistant.id));
  await all.files.del(assistant.id, two.id);
  // Later types lack the files of messages.
  const said = (content: string) => ({ role: 'user' as const, content, file_ids: [one.id] }); // as: a literal type
  const use: AssistantUse = {
    assistant: assistant.id,
    messages: [said('What time is it?'), said('get_time')],
    runs: [{}, {}],
    output: 'noon',
  };
  const [thread, message] = await threadSteps(same, use);
  for await (const _ of threads.messages.files.list(thread, message));
  await threads.messages.files.retrieve(thread, message, one.id);
  await runSteps(same, thread, use);
  await threads.del(thread);
  await all.del(assistant.id);
}
