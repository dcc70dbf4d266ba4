// openai 4.36.0: assistants in the legacy form, with the header of v1.
import type OpenAICommon from 'openai';
import OpenAI, { toFile } from 'openai-v1';
import { jobSession, mediaSession, textSession } from './shared-session.ts';

/** A tool that the model calls. */
const TIME = {
  type: 'function',
  function: { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'string' } } } },
} as const; // as: literal types

/** Uses every part of the library that the specification has. */
export async function openAIV1Session(baseURL: string): Promise<void> {
  const client = new OpenAI({ baseURL, apiKey: 'key' });
  // as: what is called there has not changed
  const same = client as unknown as OpenAICommon;
  await textSession(same);
  await mediaSession(same, toFile);
  await jobSession(same, toFile);
  await assistants(client);
}

/** Assistants: made, changed, listed and deleted. */
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
  // Page by page, in the way that the library offers for lists.
  for await (const _ of all.list({ limit: 20, order: 'asc' }));
  // Files of an assistant exist in this version alone.
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
  // A message is changed in its metadata alone.
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

/** Runs of an assistant: polled, answered, listed, streamed and cancelled. */
async function runSteps(
  threads: OpenAI['beta']['threads'],
  thread: string,
  assistant: string,
): Promise<void> {
  // Polled until the run waits for the output of its tool, which is then sent.
  let run = await threads.runs.createAndPoll(thread, { assistant_id: assistant });
  if (run.status === 'requires_action')
    run = await threads.runs.submitToolOutputsAndPoll(thread, run.id, {
      tool_outputs: (run.required_action?.submit_tool_outputs.tool_calls ?? []).map(({ id }) => ({
        tool_call_id: id,
        output: 'noon',
      })),
    });
  // Requests for runs that the specification does not list are sent as well, and never judged.
  for await (const _ of threads.runs.list(thread));
  await threads.runs.update(thread, run.id, { metadata: { e: 'f' } });
  for await (const { id } of threads.runs.steps.list(thread, run.id))
    await threads.runs.steps.retrieve(thread, run.id, id);
  // Read to the end, where the run is complete.
  await threads.runs.stream(thread, { assistant_id: assistant }).finalRun();
  // A thread and its run in one request, and then the end of it.
  const other = await threads.createAndRun({
    assistant_id: assistant,
    thread: { messages: [{ role: 'user', content: 'Hi' }] },
  });
  await threads.runs.cancel(other.thread_id, other.id);
}
