// The latest openai: ids of parent objects are parameters, and vector stores are no longer beta.
import type OpenAICommon from 'openai';
import OpenAI, { toFile } from 'openai-latest';
import { jobSession, mediaSession, textSession } from './shared-session.ts';

const WEATHER = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
} as const; // as: literal types

/** Uses every part of the library that the specification has. */
export async function openAILatestSession(baseURL: string): Promise<void> {
  const client = new OpenAI({ baseURL, apiKey: 'key' });
  // as: the methods called there are the same
  const same = client as unknown as OpenAICommon;
  await textSession(same);
  await mediaSession(same, toFile);
  await jobSession(same, toFile);
  const store = await stores(client);
  await assistants(client, store);
}

/** Vector stores, their files and batches of files; returns the id of a store. */
async function stores({ files, vectorStores }: OpenAI): Promise<string> {
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
  const of = { vector_store_id: store.id };
  await vectorStores.files.retrieve(file.id, of);
  for await (const _ of vectorStores.files.list(store.id, { filter: 'completed' }));
  await vectorStores.files.delete(file.id, of);
  const batch = await vectorStores.fileBatches.create(store.id, { file_ids: [(await upload('2.txt')).id] });
  // Immediately, because a completed batch cannot be cancelled.
  await vectorStores.fileBatches.cancel(batch.id, of);
  await vectorStores.fileBatches.retrieve(batch.id, of);
  for await (const _ of vectorStores.fileBatches.listFiles(batch.id, of));
  return store.id;
}

async function assistants(
  { beta: { assistants: all, threads }, vectorStores }: OpenAI,
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
  await threads.delete(thread);
  await all.delete(made.id);
  await vectorStores.delete(store);
}

/** A thread and its messages; returns the id of the thread. */
async function threadSteps(threads: OpenAI['beta']['threads']): Promise<string> {
  const thread = await threads.create({
    messages: [{ role: 'user', content: 'How is the weather in Rome?' }],
  });
  const of = { thread_id: thread.id };
  await threads.retrieve(thread.id);
  await threads.update(thread.id, { metadata: { a: 'b' } });
  const message = await threads.messages.create(thread.id, {
    role: 'user',
    content: [{ type: 'text', text: 'Tell.' }],
  });
  await threads.messages.retrieve(message.id, of);
  await threads.messages.update(message.id, { ...of, metadata: { c: 'd' } });
  for await (const _ of threads.messages.list(thread.id, { limit: 20 }));
  return thread.id;
}

async function runSteps(
  threads: OpenAI['beta']['threads'],
  thread: string,
  assistant: string,
): Promise<void> {
  const of = { thread_id: thread };
  let run = await threads.runs.createAndPoll(thread, { assistant_id: assistant, tool_choice: 'required' });
  if (run.status === 'requires_action')
    run = await threads.runs.submitToolOutputsAndPoll(run.id, {
      ...of,
      tool_outputs: (run.required_action?.submit_tool_outputs.tool_calls ?? []).map(({ id }) => ({
        tool_call_id: id,
        output: 'sunny',
      })),
    });
  // These requests are not in the specification and are never judged.
  for await (const _ of threads.runs.list(thread));
  await threads.runs.update(run.id, { ...of, metadata: { e: 'f' } });
  for await (const { id } of threads.runs.steps.list(run.id, of))
    await threads.runs.steps.retrieve(id, { ...of, run_id: run.id });
  await threads.runs.stream(thread, { assistant_id: assistant, max_completion_tokens: 50 }).finalRun();
  const other = await threads.createAndRun({
    assistant_id: assistant,
    thread: { messages: [{ role: 'user', content: 'Hi' }] },
  });
  await threads.runs.cancel(other.id, { thread_id: other.thread_id });
  await threads.runs.poll(other.id, { thread_id: other.thread_id });
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
  const of = { thread_id: waiting.thread_id, tool_outputs: outputs };
  await threads.runs.submitToolOutputsStream(waiting.id, of).finalRun();
}
