import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reference, serveReference } from '../service.ts';
import { MethodRecorder, methodsOf } from '../testing/client-methods.ts';

let reference: Reference;
let client: OpenAI;
const methods = new MethodRecorder();

beforeAll(async () => {
  reference = await serveReference({ betaHeader: 'OpenAI-Beta', apiKey: 'key' });
  client = methods.watch(new OpenAI({ baseURL: reference.url, apiKey: 'key' }));
});

afterAll(async () => reference.close());

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Tells the weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const; // as: the client's types want the literal

const createAssistant = () => client.beta.assistants.create({ model: 'chat-large', tools: [weather] });
const createThread = (content = 'Say "hello there, friend"') =>
  client.beta.threads.create({ messages: [{ role: 'user', content }] });

async function readNewestMessage(threadId: string): Promise<string> {
  const { data } = await client.beta.threads.messages.list(threadId, { limit: 1 });
  const part = data[0]?.content[0];
  return part?.type === 'text' ? part.text.value : '';
}

const outputsFor = (run: OpenAI.Beta.Threads.Run) =>
  run.required_action?.submit_tool_outputs.tool_calls.map(({ id }) => ({
    tool_call_id: id,
    output: 'sunny',
  })) ?? [];

describe('runs', () => {
  it('are polled until they end or require an action, listed and updated; steps are listed and retrieved', async () => {
    const { threads } = client.beta;
    const assistant = await createAssistant();
    const run = await threads.createAndRunPoll({
      assistant_id: assistant.id,
      thread: { messages: [{ role: 'user', content: 'Say "hello there, friend"' }] },
    });
    expect(run.status).toBe('completed');
    expect(await readNewestMessage(run.thread_id)).toBe('hello there, friend');
    const again = await threads.runs.createAndPoll(run.thread_id, {
      assistant_id: assistant.id,
      tool_choice: 'required',
    });
    expect(again.status).toBe('requires_action');
    const outputs = { tool_outputs: outputsFor(again) };
    expect((await threads.runs.submitToolOutputsAndPoll(run.thread_id, again.id, outputs)).status).toBe(
      'completed',
    );
    expect(await readNewestMessage(run.thread_id)).toContain('sunny');
    expect((await threads.runs.list(run.thread_id)).data.map(({ id }) => id)).toEqual([again.id, run.id]);
    expect((await threads.runs.update(run.thread_id, run.id, { metadata: { a: 'b' } })).metadata).toEqual({
      a: 'b',
    });
    const steps = (await threads.runs.steps.list(run.thread_id, again.id, { order: 'asc' })).data;
    expect(steps.map(({ type }) => type)).toEqual(['tool_calls', 'message_creation']);
    expect(await threads.runs.steps.retrieve(run.thread_id, again.id, steps[0]?.id ?? '')).toEqual(steps[0]);
  });

  it('pass from queued through in_progress and cancelling to cancelled, and are cancelled only once', async () => {
    const { threads } = client.beta;
    const run = await threads.createAndRun({ assistant_id: (await createAssistant()).id });
    expect(run.status).toBe('queued');
    expect((await threads.runs.retrieve(run.thread_id, run.id)).status).toBe('in_progress');
    expect((await threads.runs.cancel(run.thread_id, run.id)).status).toBe('cancelling');
    expect((await threads.runs.poll(run.thread_id, run.id)).status).toBe('cancelled');
    await expect(threads.runs.cancel(run.thread_id, run.id)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });

  it('stream text whose deltas join to the message', async () => {
    const { threads } = client.beta;
    const assistant = await createAssistant();
    const thread = await createThread();
    const stream = threads.runs.stream(thread.id, { assistant_id: assistant.id });
    const names: string[] = [];
    let text = '';
    stream.on('event', ({ event }) => names.push(event)).on('textDelta', ({ value = '' }) => (text += value));
    const run = await stream.finalRun();
    expect(run).toMatchObject({ status: 'completed', usage: { completion_tokens: 4 } });
    expect(text).toBe('hello there, friend');
    expect(await readNewestMessage(thread.id)).toBe(text);
    expect(names).not.toContain('thread.created');
    expect((await stream.finalMessages()).map(({ content }) => content)).toMatchObject([
      [{ text: { value: text } }],
    ]);
    expect((await stream.finalRunSteps()).map(({ status }) => status)).toEqual(['completed']);
  });

  it('stream a new thread, a tool call and the events after the tool output', async () => {
    const { threads } = client.beta;
    const assistant = await createAssistant();
    const stream = threads.createAndRunStream({
      assistant_id: assistant.id,
      thread: { messages: [{ role: 'user', content: 'How is the weather in Rome?' }] },
    });
    const names: string[] = [];
    let argumentsText = '';
    stream.on('event', ({ event }) => names.push(event));
    stream.on(
      'toolCallDelta',
      (delta) => (argumentsText += delta.type === 'function' ? delta.function?.arguments : ''),
    );
    const waiting = await stream.finalRun();
    expect(names[0]).toBe('thread.created');
    expect(names.at(-1)).toBe('thread.run.requires_action');
    expect(JSON.parse(argumentsText)).toEqual({ city: 'Rome' });
    expect(waiting.required_action?.submit_tool_outputs.tool_calls[0]?.function).toEqual({
      name: 'get_weather',
      arguments: argumentsText,
    });

    const continued = threads.runs.submitToolOutputsStream(waiting.thread_id, waiting.id, {
      tool_outputs: outputsFor(waiting),
    });
    const events = [];
    for await (const { event } of continued) events.push(event);
    expect(events.slice(0, 3)).toEqual([
      'thread.run.step.completed',
      'thread.run.queued',
      'thread.run.in_progress',
    ]);
    expect(events.at(-1)).toBe('thread.run.completed');
  });

  it('end as incomplete in a raw stream if the maximum of completion tokens is reached', async () => {
    const { threads } = client.beta;
    const thread = await createThread('Count to 50');
    const stream = await threads.runs.create(thread.id, {
      assistant_id: (await createAssistant()).id,
      max_completion_tokens: 5,
      stream: true,
    });
    const events: string[] = [];
    for await (const { event } of stream) events.push(event);
    expect(events.slice(-3)).toEqual([
      'thread.message.incomplete',
      'thread.run.step.completed',
      'thread.run.incomplete',
    ]);
    const last = (await threads.runs.list(thread.id)).data[0];
    expect(last).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_completion_tokens' },
    });
  });

  it('are streamed by the deprecated createAndStream', async () => {
    const thread = await createThread('Count to 50');
    const { id } = await createAssistant();
    const stream = client.beta.threads.runs.createAndStream(thread.id, { assistant_id: id });
    expect((await stream.finalRun()).status).toBe('completed');
  });

  it('complete after a poll once the required output is submitted', async () => {
    const { runs } = client.beta.threads;
    const thread = await createThread('What is the weather in Oslo?');
    const run = await runs.createAndPoll(thread.id, { assistant_id: (await createAssistant()).id });
    expect(run.status).toBe('requires_action');
    await runs.submitToolOutputs(thread.id, run.id, { tool_outputs: outputsFor(run) });
    expect((await runs.poll(thread.id, run.id)).status).toBe('completed');
  });
});

describe('the whole session', () => {
  it('uses every method for runs, and every operation of their families', async () => {
    await methods.settle();
    console.log(`openai@4.47.1, runs\n${methods.formatTable()}`);
    const offered = methodsOf(client, 'beta.threads').filter((method) => /runs|AndRun/.test(method));
    expect(offered.filter((method) => !methods.operationsByMethod.has(method))).toEqual([]);
    expect(methods.listUnused(['runs', 'run-steps'])).toEqual([]);
  });

  it('receives nothing that breaks a schema', () => {
    expect(methods.violations).toEqual([]);
  });
});
