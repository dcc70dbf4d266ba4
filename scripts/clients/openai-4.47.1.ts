// openai 4.47.1: assistants of v2 and vector stores, as a beta.
import OpenAI, { toFile } from 'openai';
import { jobSession, mediaSession, textSession } from './shared-session.ts';

const WEATHER = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
} as const; // as: literal types

/** Uses every part of the library that the specification has. */
export async function openAIV2Session(baseURL: string): Promise<void> {
  const client = new OpenAI({ baseURL, apiKey: 'key' });
  await textSession(client);
  await mediaSession(client, toFile);
  await jobSession(client, toFile);
  const store = await stores(client);
  await assistants(client, store);
}

/** Vector stores, their files and batches of files; returns the id of a store. */
async function stores({ files, beta: { vectorStores } }: OpenAI): Promise<string> {
  const upload = async (name: string) =>
    files.create({ file: await toFile(Buffer.from('Some notes.'), name), purpose: 'assistants' });
  // The types of this library state the expiry in days.
  const store = await vectorStores.create({
    name: 'Notes',
    expires_after: { anchor: 'last_active_at', days: 2 },
  });
  await vectorStores.retrieve(store.id);
  await vectorStores.update(store.id, { name: 'More notes' });
  for await (const _ of vectorStores.list());
  const file = await upload('1.txt');
  await vectorStores.files.createAndPoll(store.id, { file_id: file.id });
  await vectorStores.files.retrieve(store.id, file.id);
  for await (const _ of vectorStores.files.list(store.id, { filter: 'completed' }));
  await vectorStores.files.del(store.id, file.id);
  const batch = await vectorStores.fileBatches.create(store.id, { file_ids: [(await upload('2.txt')).id] });
  // Immediately, because a completed batch cannot be cancelled.
  await vectorStores.fileBatches.cancel(store.id, batch.id);
  await vectorStores.fileBatches.retrieve(store.id, batch.id);
  for await (const _ of vectorStores.fileBatches.listFiles(store.id, batch.id));
  return store.id;
}

async function assistants(
  { beta: { assistants: all, threads, vectorStores } }: OpenAI,
  store: string,
): Promise<void> {
  const made = await all.create({
    ...{ model: 'chat-large', name: 'A', instructions: 'Be brief.', temperature: 0.5, metadata: { a: 'b' } },
    tools: [{ type: 'file_search' }, WEATHER],
    tool_resources: { file_search: { vector_store_ids: [store] } },
  });
  await all.retrieve(made.id);
  await all.update(made.id, { description: 'Answers.' });
  for await (const _ of all.list({ limit: 20, order: 'asc' }));
  const thread = await threadSteps(threads);
  await runSteps(threads, thread, made.id);
  await threads.del(thread);
  await all.del(made.id);
  await vectorStores.del(store);
}

/** A thread and its messages; returns the id of the thread. */
async function threadSteps(threads: OpenAI['beta']['threads']): Promise<string> {
  const thread = await threads.create({
    messages: [{ role: 'user', content: 'How is the weather in Rome?' }],
  });
  await threads.retrieve(thread.id);
  await threads.update(thread.id, { metadata: { a: 'b' } });
  const message = await threads.messages.create(thread.id, {
    role: 'user',
    content: [{ type: 'text', text: 'Tell.' }],
  });
  await threads.messages.retrieve(thread.id, message.id);
  await threads.messages.update(thread.id, message.id, { metadata: { c: 'd' } });
  for await (const _ of threads.messages.list(thread.id, { limit: 20 }));
  return thread.id;
}

async function runSteps(
  threads: OpenAI['beta']['threads'],
  thread: string,
  assistant: string,
): Promise<void> {
  let run = await threads.runs.createAndPoll(thread, { assistant_id: assistant, tool_choice: 'required' });
  if (run.status === 'requires_action')
    run = await threads.runs.submitToolOutputsAndPoll(thread, run.id, {
      tool_outputs: (run.required_action?.submit_tool_outputs.tool_calls ?? []).map(({ id }) => ({
        tool_call_id: id,
        output: 'sunny',
      })),
    });
  // These requests are not in the specification and are never judged.
  for await (const _ of threads.runs.list(thread));
  await threads.runs.update(thread, run.id, { metadata: { e: 'f' } });
  for await (const { id } of threads.runs.steps.list(thread, run.id))
    await threads.runs.steps.retrieve(thread, run.id, id);
  await threads.runs.stream(thread, { assistant_id: assistant, max_completion_tokens: 50 }).finalRun();
  const other = await threads.createAndRun({
    assistant_id: assistant,
    thread: { messages: [{ role: 'user', content: 'Hi' }] },
  });
  await threads.runs.cancel(other.thread_id, other.id);
  await threads.runs.poll(other.thread_id, other.id);
  await helperSteps(threads, assistant);
}

/** The helpers that create a thread with its run, and those that stream what follows the outputs of a call. */
async function helperSteps(threads: OpenAI['beta']['threads'], assistant: string): Promise<void> {
  const body = {
    assistant_id: assistant,
    thread: { messages: [{ role: 'user' as const, content: 'How is the weather in Rome?' }] }, // as: a literal type
  };
  await threads.createAndRunPoll(body);
  const waiting = await threads.createAndRunStream(body).finalRun();
  const calls = waiting.required_action?.submit_tool_outputs.tool_calls ?? [];
  const outputs = calls.map(({ id }) => ({ tool_call_id: id, output: 'sunny' }));
  const { thread_id: thread, id: run } = waiting;
  await threads.runs.submitToolOutputsStream(thread, run, { tool_outputs: outputs }).finalRun();
}
