import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Reference, serveReference } from '../service.ts';
import {
  createPlainClient,
  idOfObject,
  type PlainCall,
  type PlainResponse,
  pluck,
} from '../testing/plain-client.ts';

let reference: Reference;
let call: PlainCall;
let now = 0;

beforeEach(async () => {
  now = 1_000_000_000;
  reference = await serveReference({ clock: () => now });
  call = createPlainClient(reference.url);
});

afterEach(async () => reference.close());

const weather = { type: 'function', function: { name: 'get_weather', description: '', parameters: {} } };
const time = { type: 'function', function: { name: 'get_time', description: '', parameters: {} } };

async function createAssistant(fields: object = {}): Promise<string> {
  return idOfObject((await call('POST', '/assistants', { model: 'chat-large', ...fields })).json);
}

const createThread = async (content: string): Promise<string> =>
  idOfObject((await call('POST', '/threads', { messages: [{ role: 'user', content }] })).json);

async function startRun(
  content: string,
  fields: object = {},
  assistant: object = {},
): Promise<PlainResponse> {
  const assistant_id = await createAssistant(assistant);
  return call('POST', `/threads/${await createThread(content)}/runs`, { assistant_id, ...fields });
}

async function serveWithStateDelay(seconds: number): Promise<void> {
  await reference.close();
  reference = await serveReference({ clock: () => now, stateDelay: seconds });
  call = createPlainClient(reference.url);
}

const pathOf = ({ json }: Pick<PlainResponse, 'json'>): string =>
  `/threads/${json['thread_id']}/runs/${json['id']}`;
const listEventNames = ({ events }: PlainResponse): string[] => events.map(({ event }) => event);
const readLastData = ({ events }: PlainResponse) => events.at(-1)?.data;

async function readNewestMessage(threadId: unknown): Promise<string> {
  const { json } = await call('GET', `/threads/${threadId}/messages?limit=1`);
  return JSON.stringify(json['data']);
}

describe('a run that is not streamed', () => {
  it('advances each time its steps are listed', async () => {
    const queued = await startRun('Say "one two"');
    expect(queued.json['status']).toBe('queued');
    const steps = `${pathOf(queued)}/steps`;
    expect(pluck(await call('GET', steps), 'status')).toEqual(['in_progress']);
    const done = await call('GET', steps);
    expect(pluck(done, 'status')).toEqual(['completed']);
    expect(pluck(done, 'usage')).toMatchObject([{ completion_tokens: 2 }]);
  });

  it('advances each time the messages of its thread are listed', async () => {
    const queued = await startRun('Say "one two"');
    const messages = `/threads/${queued.json['thread_id']}/messages?run_id=${queued.json['id']}`;
    expect(pluck(await call('GET', messages), 'status')).toEqual(['in_progress']);
    const done = await call('GET', messages);
    expect(pluck(done, 'status')).toEqual(['completed']);
    expect(pluck(done, 'run_id')).toEqual([queued.json['id']]);
  });

  it('does not advance when it is modified or runs are listed, and its retrieval says when to poll again', async () => {
    const queued = await startRun('Hi');
    const runs = `/threads/${queued.json['thread_id']}/runs`;
    await call('POST', pathOf(queued), { metadata: { a: 'b' } });
    expect(pluck(await call('GET', runs), 'status')).toEqual(['queued']);
    expect((await call('GET', pathOf(queued))).headers.get('openai-poll-after-ms')).toBe('1');
  });
});

describe('a new run', () => {
  it('overrides model, instructions, tools, temperature and top_p of the assistant, and can add instructions', async () => {
    const own = { model: 'chat-small', instructions: 'B', tools: [time], temperature: 0, top_p: 0.5 };
    const assistant = { instructions: 'A', tools: [weather], temperature: 2, top_p: 0.1 };
    expect((await startRun('Hi', {}, assistant)).json).toMatchObject({ model: 'chat-large', ...assistant });
    expect((await startRun('Hi', own, assistant)).json).toMatchObject(own);
    const { json } = await startRun('Hi', { additional_instructions: 'C' }, assistant);
    expect(json['instructions']).toBe('A\nC');
  });

  it('adds messages before it begins', async () => {
    const additional_messages = [{ role: 'user', content: 'Say "added"', metadata: { a: 'b' } }];
    const { json } = await startRun('Say "first"', { additional_messages });
    await call('GET', `${pathOf({ json })}/steps`);
    const messages = await call('GET', `/threads/${json['thread_id']}/messages?order=asc`);
    expect(pluck(messages, 'role')).toEqual(['user', 'user', 'assistant']);
    expect(pluck(messages, 'run_id')).toEqual([null, null, json['id']]);
    expect(JSON.stringify(messages.json)).toContain('"value":"added","annotations"');
  });

  it('shortens the thread to its last messages on request', async () => {
    const strategy = { type: 'last_messages', last_messages: 1 };
    const long = await startRun('a '.repeat(500), {
      additional_messages: [{ role: 'user', content: 'b' }],
      stream: true,
    });
    const short = await startRun('a '.repeat(500), {
      additional_messages: [{ role: 'user', content: 'b' }],
      stream: true,
      truncation_strategy: strategy,
    });
    expect(readLastData(short)?.['truncation_strategy']).toEqual(strategy);
    const tokens = (streamed: PlainResponse) =>
      JSON.parse(JSON.stringify(readLastData(streamed)?.['usage']))['prompt_tokens'];
    expect(tokens(long)).toBeGreaterThan(tokens(short) + 400);
  });
});

describe('tools', () => {
  it('are called as `tool_choice` demands', async () => {
    const tools = [weather, time];
    const forced = { type: 'function', function: { name: 'get_time' } };
    const calls = async (tool_choice: unknown, content: string) =>
      JSON.stringify(
        readLastData(await startRun(content, { tools, tool_choice, stream: true }))?.['required_action'],
      );
    expect(await calls(forced, 'Hello')).toContain('get_time');
    expect(await calls('required', 'Hello')).toContain('get_weather');
    expect(await calls('auto', 'The time and the weather?')).toMatch(/get_weather.*get_time/);
    expect(await calls('auto', 'Hello')).toBe('null');
    expect(await calls('none', 'The weather?')).toBe('null');
  });

  it('that are built in are called within the run', async () => {
    const vector_store_ids = [idOfObject((await call('POST', '/vector_stores', {})).json)];
    const assistant = {
      tools: [{ type: 'file_search' }],
      tool_resources: { file_search: { vector_store_ids } },
    };
    const streamed = await startRun(
      'Say "found"',
      { tool_choice: { type: 'file_search' }, stream: true },
      assistant,
    );
    expect(listEventNames(streamed).filter((name) => name.includes('step.c'))).toHaveLength(4);
    expect(readLastData(streamed)).toMatchObject({
      status: 'completed',
      tool_resources: assistant.tool_resources,
    });
  });

  it('need all outputs at once, by the ids of their calls, and only once', async () => {
    const waiting = await startRun('The time and the weather?', { tools: [weather, time], stream: true });
    const { id, thread_id, required_action } = JSON.parse(JSON.stringify(readLastData(waiting)));
    const path = `/threads/${thread_id}/runs/${id}/submit_tool_outputs`;
    const tool_outputs = required_action.submit_tool_outputs.tool_calls.map((call: { id: string }) => ({
      tool_call_id: call.id,
      output: 'x',
    }));
    const errorOf = async (body: unknown) => (await call('POST', path, body)).json['error'];
    expect(await errorOf({ tool_outputs: tool_outputs.slice(1) })).toMatchObject({ param: 'tool_outputs' });
    expect(await errorOf({ tool_outputs: [{ output: 'x' }] })).toMatchObject({
      param: 'tool_outputs[0].tool_call_id',
    });
    expect(await errorOf({})).toMatchObject({ param: 'tool_outputs' });
    expect((await call('POST', path, { tool_outputs })).json['status']).toBe('queued');
    expect((await call('POST', path, { tool_outputs })).status).toBe(400);
  });

  it('that do not exist cannot be chosen', async () => {
    const { status, json } = await startRun('Hi', {
      tool_choice: { type: 'function', function: { name: 'nothing' } },
    });
    expect([status, json['error']]).toMatchObject([400, { param: 'tool_choice' }]);
  });
});

describe('the settings of a run', () => {
  it('end it incomplete if a budget is exceeded', async () => {
    const prompt = await startRun('Hello', { max_prompt_tokens: 1, stream: true });
    expect(listEventNames(prompt)).toEqual(
      ['created', 'queued', 'in_progress', 'incomplete'].map((name) => `thread.run.${name}`),
    );
    expect(readLastData(prompt)).toMatchObject({ incomplete_details: { reason: 'max_prompt_tokens' } });
    const completion = await startRun('Count to 30', { max_completion_tokens: 3 });
    for (const state of ['in_progress', 'incomplete']) {
      expect((await call('GET', pathOf(completion))).json['status']).toBe(state);
    }
    expect(await readNewestMessage(completion.json['thread_id'])).toContain('"value":"1, 2"');
  });

  it('make its message JSON in JSON mode', async () => {
    const streamed = await startRun('Answer in JSON', {
      response_format: { type: 'json_object' },
      stream: true,
    });
    const message = streamed.events.find(({ event }) => event === 'thread.message.completed')?.data;
    const [part] = JSON.parse(JSON.stringify(message?.['content']));
    expect(JSON.parse(part.text.value)).toBeTypeOf('object');
  });
});

describe('the end of a run', () => {
  it('comes by the clock if no outputs are submitted: the run expires', async () => {
    const waiting = await startRun('weather', { tools: [weather], stream: true });
    const path = `/threads/${readLastData(waiting)?.['thread_id']}/runs/${readLastData(waiting)?.['id']}`;
    now += 600_000;
    expect((await call('GET', path)).json).toMatchObject({ status: 'expired', required_action: null });
    expect(pluck(await call('GET', `${path}/steps`), 'status')).toEqual(['expired']);
  });

  it('unlocks the thread, which takes neither messages nor other runs until then', async () => {
    const queued = await startRun('Hi');
    const path = `/threads/${queued.json['thread_id']}`;
    const message = { role: 'user', content: 'More' };
    expect((await call('POST', `${path}/messages`, message)).status).toBe(400);
    const other = { assistant_id: queued.json['assistant_id'] };
    expect((await call('POST', `${path}/runs`, other)).json['error']).toMatchObject({ param: 'thread_id' });
    await call('POST', `${pathOf(queued)}/cancel`);
    expect((await call('GET', pathOf(queued))).json['status']).toBe('cancelled');
    expect((await call('POST', `${path}/messages`, message)).status).toBe(200);
  });

  it('comes even if the client disconnects in the middle of the stream', async () => {
    const assistant_id = await createAssistant();
    const thread = await createThread('Count to 2000');
    const response = await fetch(`${reference.url}/threads/${thread}/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id, stream: true }),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    const states = async () => pluck(await call('GET', `/threads/${thread}/runs`), 'status');
    await expect.poll(states).toEqual(['completed']);
    expect(await readNewestMessage(thread)).toContain(', 2000"');
  });

  it('comes by the clock even if its cancellation is requested again', async () => {
    await serveWithStateDelay(2);
    const cancel = `${pathOf(await startRun('Hi'))}/cancel`;
    for (const status of [200, 200, 400]) {
      expect((await call('POST', cancel)).status).toBe(status);
      now += 1000;
    }
  });

  it('comes by the clock if states have a duration', async () => {
    await serveWithStateDelay(2);
    const queued = await startRun('Hi');
    const states = [];
    for (const milliseconds of [1000, 1000, 1000, 1000]) {
      now += milliseconds;
      await call('GET', pathOf(queued));
      states.push((await call('GET', pathOf(queued))).json['status']);
    }
    expect(states).toEqual(['queued', 'in_progress', 'in_progress', 'completed']);
    const { json } = await call('GET', pathOf(queued));
    expect(json).toMatchObject({
      started_at: 1_000_002,
      completed_at: 1_000_004,
      usage: { prompt_tokens: 5 },
    });
  });
});

it('the service rejects references to missing objects', async () => {
  const thread = await createThread('Hi');
  const assistant_id = await createAssistant();
  const readStatus = async (path: string, body?: unknown) =>
    (await call(body ? 'POST' : 'GET', path, body)).status;
  expect(await readStatus('/threads/thread_none/runs', { assistant_id })).toBe(404);
  expect(await readStatus(`/threads/${thread}/runs`, { assistant_id: 'asst_none' })).toBe(404);
  expect(await readStatus('/threads/runs', { assistant_id: 'asst_none' })).toBe(404);
  expect(await readStatus(`/threads/${thread}/runs/run_none/steps`)).toBe(404);
  expect(await readStatus(`/threads/${thread}/runs/run_none`, { metadata: {} })).toBe(404);
});

it('a list of runs rejects a limit above 100', async () => {
  const thread = await createThread('Hi');
  expect((await call('GET', `/threads/${thread}/runs?limit=101`)).status).toBe(400);
});
