import OpenAI, { toFile } from 'openai-v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reference, serveReference } from '../service.ts';
import { MethodRecorder, methodsOf } from '../testing/client-methods.ts';

let reference: Reference;
let client: OpenAI;
const methods = new MethodRecorder();

beforeAll(async () => {
  reference = await serveReference({ betaHeader: 'OpenAI-Beta' });
  client = methods.watch(new OpenAI({ baseURL: reference.url, apiKey: 'any' }));
});

afterAll(async () => reference.close());

const uploadFile = async (name: string) =>
  client.files.create({ file: await toFile(Buffer.from('Some notes.'), name), purpose: 'assistants' });

const getTime = {
  type: 'function',
  function: { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'string' } } } },
} as const; // as: the client's types want the literal

const outputsOf = (run: OpenAI.Beta.Threads.Run) => ({
  tool_outputs: (run.required_action?.submit_tool_outputs.tool_calls ?? []).map(({ id }) => ({
    tool_call_id: id,
    output: 'noon',
  })),
});

describe('assistants', () => {
  it('keep, list and lose files', async () => {
    const { assistants } = client.beta;
    const [one, two, three] = [
      await uploadFile('1.txt'),
      await uploadFile('2.txt'),
      await uploadFile('3.txt'),
    ];
    const assistant = await assistants.create({
      model: 'chat-large',
      tools: [{ type: 'retrieval' }],
      file_ids: [two.id, one.id],
    });
    expect(assistant).toMatchObject({ tools: [{ type: 'retrieval' }], file_ids: [one.id, two.id] });
    expect(assistant).not.toHaveProperty('tool_resources');
    const attached = await assistants.files.create(assistant.id, { file_id: three.id });
    expect(attached).toMatchObject({ id: three.id, object: 'assistant.file', assistant_id: assistant.id });
    expect(await assistants.files.retrieve(assistant.id, three.id)).toEqual(attached);
    expect(await assistants.files.del(assistant.id, one.id)).toMatchObject({ deleted: true });
    expect((await assistants.retrieve(assistant.id)).file_ids).toEqual([two.id, three.id]);
    expect((await assistants.update(assistant.id, { file_ids: [three.id] })).file_ids).toEqual([three.id]);
    await expect(assistants.files.retrieve(assistant.id, two.id)).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    const listed: string[] = [];
    for await (const { id } of assistants.files.list(assistant.id, { limit: 1 })) listed.push(id);
    expect(listed).toEqual([three.id]);
    expect((await assistants.list({ limit: 1 })).data[0]?.id).toBe(assistant.id);
    expect(await assistants.del(assistant.id)).toMatchObject({ deleted: true });
    expect((await client.files.retrieve(one.id)).id).toBe(one.id);
  });
});

describe('threads and messages', () => {
  it('carry files', async () => {
    const { threads } = client.beta;
    const [one, two] = [await uploadFile('1.txt'), await uploadFile('2.txt')];
    const thread = await threads.create({ messages: [{ role: 'user', content: 'Hi', file_ids: [one.id] }] });
    expect((await threads.retrieve(thread.id)).id).toBe(thread.id);
    expect((await threads.update(thread.id, { metadata: { a: 'b' } })).metadata).toEqual({ a: 'b' });
    const content = 'These two';
    const message = await threads.messages.create(thread.id, {
      role: 'user',
      content,
      file_ids: [one.id, two.id],
    });
    expect(message.file_ids).toEqual([one.id, two.id]);
    expect(await threads.messages.retrieve(thread.id, message.id)).toEqual(message);
    expect((await threads.messages.update(thread.id, message.id, { metadata: { c: 'd' } })).metadata).toEqual(
      { c: 'd' },
    );
    expect((await threads.messages.list(thread.id)).data.map(({ file_ids }) => file_ids.length)).toEqual([
      2, 1,
    ]);
    const files = await threads.messages.files.list(thread.id, message.id, { order: 'asc' });
    expect(files.data.map(({ id }) => id)).toEqual([one.id, two.id]);
    expect(await threads.messages.files.retrieve(thread.id, message.id, two.id)).toEqual(files.data[1]);
    expect(await threads.del(thread.id)).toMatchObject({ deleted: true });
  });
});

describe('runs', () => {
  it('are polled, cancelled, listed, changed and retrieved', async () => {
    const { threads } = client.beta;
    const assistant = await client.beta.assistants.create({
      model: 'chat-large',
      tools: [{ type: 'retrieval' }, getTime],
    });
    const thread = { messages: [{ role: 'user' as const, content: 'Say "hello"' }] }; // as: a literal type
    const run = await threads.createAndRunPoll({ assistant_id: assistant.id, thread });
    expect(run).toMatchObject({ status: 'completed', tools: [{ type: 'retrieval' }, getTime] });
    const tools = [{ type: 'retrieval' as const }]; // as: a literal type
    const other = await threads.runs.create(run.thread_id, { assistant_id: assistant.id, tools });
    expect((await threads.runs.cancel(run.thread_id, other.id)).status).toBe('cancelling');
    expect((await threads.runs.poll(run.thread_id, other.id)).status).toBe('cancelled');
    expect((await threads.runs.list(run.thread_id)).data.map(({ id }) => id)).toEqual([other.id, run.id]);
    expect((await threads.runs.update(run.thread_id, run.id, { metadata: { a: 'b' } })).metadata).toEqual({
      a: 'b',
    });
    expect((await threads.runs.retrieve(run.thread_id, run.id)).usage).toEqual(run.usage);
    const step = (await threads.runs.steps.list(run.thread_id, run.id)).data[0];
    expect(await threads.runs.steps.retrieve(run.thread_id, run.id, step?.id ?? '')).toEqual(step);
    expect((await threads.createAndRun({ assistant_id: assistant.id })).status).toBe('queued');
  });

  it('stream, wait for outputs and continue', async () => {
    const { threads } = client.beta;
    const assistant = await client.beta.assistants.create({ model: 'chat-large', tools: [getTime] });
    const body = { assistant_id: assistant.id };
    const stream = threads.createAndRunStream({
      ...body,
      thread: { messages: [{ role: 'user', content: 'What time is it?' }] },
    });
    const first = await stream.finalRun();
    expect(first.status).toBe('requires_action');
    const continued = threads.runs.submitToolOutputsStream(first.thread_id, first.id, outputsOf(first));
    let text = '';
    continued.on('textDelta', ({ value = '' }) => (text += value));
    expect((await continued.finalRun()).status).toBe('completed');
    expect(text).toBe('The tool answered: noon');
    const id = first.thread_id;
    const again = await threads.runs.createAndPoll(id, { ...body, additional_instructions: 'Be brief.' });
    expect(again).toMatchObject({ status: 'completed', instructions: 'Be brief.' });
    expect((await threads.runs.stream(id, body).finalRun()).status).toBe('completed');
    expect((await threads.runs.createAndStream(id, body).finalRun()).status).toBe('completed');
  });

  it('accept outputs without a stream', async () => {
    const { runs } = client.beta.threads;
    const assistant = await client.beta.assistants.create({ model: 'chat-large', tools: [getTime] });
    const thread = await client.beta.threads.create({
      messages: [{ role: 'user', content: 'get_time, please' }],
    });
    const waiting = await runs.createAndPoll(thread.id, { assistant_id: assistant.id });
    expect((await runs.submitToolOutputs(thread.id, waiting.id, outputsOf(waiting))).status).toBe('queued');
    expect((await runs.poll(thread.id, waiting.id)).status).toBe('completed');
    await client.beta.threads.messages.create(thread.id, { role: 'user', content: 'get_time, once more' });
    const more = await runs.createAndPoll(thread.id, { assistant_id: assistant.id });
    expect((await runs.submitToolOutputsAndPoll(thread.id, more.id, outputsOf(more))).status).toBe(
      'completed',
    );
  });
});

describe('the whole session', () => {
  it('uses every method for assistants and threads, and every operation of the legacy form', async () => {
    await methods.settle();
    console.log(`openai@4.36.0\n${methods.formatTable()}`);
    const offered = ['beta.assistants', 'beta.threads'].flatMap((name) => methodsOf(client, name));
    expect(offered.filter((method) => !methods.operationsByMethod.has(method))).toEqual([]);
    const families = ['assistants-v1', 'assistant-files', 'messages', 'message-files'] as const; // as: family names
    expect(methods.listUnused(families)).toEqual([]);
  });

  it('receives nothing that breaks a schema', () => {
    expect(methods.violations).toEqual([]);
  });
});
