import OpenAI, { toFile } from 'openai';
import {
  type AssistantUse,
  type MakeFile,
  outputsOf,
  useJobs,
  useMedia,
  useRuns,
  useText,
  useThread,
} from './shared-session.ts';

const WEATHER = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
} as const; // as: literal types
const QUESTION = { role: 'user', content: 'How is the weather in Rome?' } as const; // as: literal types

export async function runOpenAIV2Session(baseURL: string): Promise<void> {
  await runV2Session(new OpenAI({ baseURL, apiKey: 'key' }), toFile);
}

/** `makeFile` must belong to the library version of `client`. */
export async function runV2Session(client: OpenAI, makeFile: MakeFile): Promise<void> {
  await useText(client);
  await useMedia(client, makeFile);
  await useJobs(client, makeFile);
  const store = await useVectorStores(client, makeFile);
  await useAssistants(client, store);
}

async function useVectorStores(
  { files, beta: { vectorStores } }: OpenAI,
  makeFile: MakeFile,
): Promise<string> {
  const upload = async (name: string) =>
    files.create({ file: await makeFile(Buffer.from('Some notes.'), name), purpose: 'assistants' });
  // The types of this library have `days` in place of `duration`, the field of the specification.
  const store = await vectorStores.create({
    name: 'Notes',
    expires_after: { anchor: 'last_active_at', days: 2 },
  });
  await vectorStores.retrieve(store.id);
  await vectorStores.update(store.id, { name: 'More notes' });
  for await (const _ of vectorStores.list());
  const notes = await upload('1.txt');
  await vectorStores.files.createAndPoll(store.id, { file_id: notes.id });
  await vectorStores.files.retrieve(store.id, notes.id);
  for await (const _ of vectorStores.files.list(store.id, { filter: 'completed' }));
  await vectorStores.files.del(store.id, notes.id);
  const batch = await vectorStores.fileBatches.create(store.id, { file_ids: [(await upload('2.txt')).id] });
  // The batch is cancelled at once, because a completed batch cannot be cancelled.
  await vectorStores.fileBatches.cancel(store.id, batch.id);
  await vectorStores.fileBatches.retrieve(store.id, batch.id);
  for await (const _ of vectorStores.fileBatches.listFiles(store.id, batch.id));
  return store.id;
}

async function useAssistants(client: OpenAI, store: string): Promise<void> {
  const { assistants, threads, vectorStores } = client.beta;
  const assistant = await assistants.create({
    model: 'chat-large',
    name: 'A',
    instructions: 'Be brief.',
    temperature: 0.5,
    metadata: { a: 'b' },
    tools: [{ type: 'file_search' }, WEATHER],
    tool_resources: { file_search: { vector_store_ids: [store] } },
  });
  await assistants.retrieve(assistant.id);
  await assistants.update(assistant.id, { description: 'Answers.' });
  for await (const _ of assistants.list({ limit: 20, order: 'asc' }));
  const use: AssistantUse = {
    assistant: assistant.id,
    messages: [QUESTION, { role: 'user', content: [{ type: 'text', text: 'Tell.' }] }],
    page: { limit: 20 },
    runs: [{ tool_choice: 'required' }, { max_completion_tokens: 50 }],
    output: 'sunny',
  };
  const [thread] = await useThread(client, use);
  const cancelled = await useRuns(client, thread, use);
  await threads.runs.poll(cancelled.thread_id, cancelled.id);
  await useHelpers(threads, use);
  await threads.del(thread);
  await assistants.del(assistant.id);
  await vectorStores.del(store);
}

async function useHelpers(
  threads: OpenAI['beta']['threads'],
  { assistant, output }: AssistantUse,
): Promise<void> {
  const body = { assistant_id: assistant, thread: { messages: [QUESTION] } };
  await threads.createAndRunPoll(body);
  const waiting = await threads.createAndRunStream(body).finalRun();
  const outputs = { tool_outputs: outputsOf(waiting, output) };
  await threads.runs.submitToolOutputsStream(waiting.thread_id, waiting.id, outputs).finalRun();
}
