// openai 4.36.0: assistants in the legacy form, with the header of v1.
import type OpenAICommon from 'openai';
import OpenAI, { toFile } from 'openai-v1';
import { jobSession, mediaSession, textSession } from './shared-session.ts';

const TIME = {
  type: 'function',
  function: { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'string' } } } },
} as const; // as: literal types

/** Uses every part of the library that the specification has. */
export async function openAIV1Session(baseURL: string): Promise<void> {
  const client = new OpenAI({ baseURL, apiKey: 'key' });
  // as: the methods called there are the same
  const same = client as unknown as OpenAICommon;
  await textSession(same);
  await mediaSession(same, toFile);
  await jobSession(same, toFile);
  await assistants(client);
}

async function assistants({ files, beta: { assistants: all, threads } }: OpenAI): Promise<void> {
  const upload = async (name: string) =>
    files.create({ file: await toFile(Buffer.from('Some notes.'), name), purpose: 'assistants' });
  const [one, two] = [await upload('1.txt'), await upload('2.txt')];
  const made = await all.create({
    model: 'chat-large',
    name: 'A',
    tools: [{ type: 'retrieval' }, TIME],
    file_ids: [one.id],
  });
  await all.retrieve(made.id);
  await all.update(made.id, { description: 'Answers.' });
  for await (const _ of all.list({ limit: 20, order: 'asc' }));
  // Only this version has assistant files.
  await all.files.create(made.id, { file_id: two.id });
  await all.files.retrieve(made.id, two.id);
  for await (const _ of all.files.list(made.id));
  await all.files.del(made.id, two.id);
  const thread = await threadSteps(threads, one.id);
  await runSteps(threads, thread, made.id);
  await threads.del(thread);
  await all.del(made.id);
}

/** A thread and its messages; returns the id of the thread. */
async function threadSteps(threads: OpenAI['beta']['threads'], file: string): Promise<string> {
  const thread = await threads.create({
    messages: [{ role: 'user', content: 'What time is it?', file_ids: [file] }],
  });
  await threads.retrieve(thread.id);
  await threads.update(thread.id, { metadata: { a: 'b' } });
  const message = await threads.messages.create(thread.id, {
    role: 'user',
    content: 'get_time',
    file_ids: [file],
  });
  await threads.messages.retrieve(thread.id, message.id);
  await threads.messages.update(thread.id, message.id, { metadata: { c: 'd' } });
  for await (const _ of threads.messages.list(thread.id));
  for await (const _ of threads.messages.files.list(thread.id, message.id));
  await threads.messages.files.retrieve(thread.id, message.id, file);
  return thread.id;
}

async function runSteps(
  threads: OpenAI['beta']['threads'],
  thread: string,
  assistant: string,
): Promise<void> {
  let run = await threads.runs.createAndPoll(thread, { assistant_id: assistant });
  if (run.status === 'requires_action')
    run = await threads.runs.submitToolOutputsAndPoll(thread, run.id, {
      tool_outputs: (run.required_action?.submit_tool_outputs.tool_calls ?? []).map(({ id }) => ({
        tool_call_id: id,
        output: 'noon',
      })),
    });
  // These requests are not in the specification and are never judged.
  for await (const _ of threads.runs.list(thread));
  await threads.runs.update(thread, run.id, { metadata: { e: 'f' } });
  for await (const { id } of threads.runs.steps.list(thread, run.id))
    await threads.runs.steps.retrieve(thread, run.id, id);
  await threads.runs.stream(thread, { assistant_id: assistant }).finalRun();
  const other = await threads.createAndRun({
    assistant_id: assistant,
    thread: { messages: [{ role: 'user', content: 'Hi' }] },
  });
  await threads.runs.cancel(other.thread_id, other.id);
}
