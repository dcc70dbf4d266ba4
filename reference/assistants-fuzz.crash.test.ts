import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Reference, serveReference } from './service.ts';
import { editJson } from './testing/edit-json.ts';
import { createPlainClient, idOfObject, type PlainCall, uploadPlainFile } from './testing/plain-client.ts';

let reference: Reference;
let v1: PlainCall;
let v2: PlainCall;
let file: string;
let store: string;
let assistant: string;

const functionTool = {
  type: 'function',
  function: { name: 'get_weather', description: 'd', parameters: {} },
};

beforeAll(async () => {
  reference = await serveReference();
  v1 = createPlainClient(reference.url, 'v1');
  v2 = createPlainClient(reference.url, 'v2');
  file = await uploadPlainFile(reference.url);
  store = idOfObject((await v2('POST', '/vector_stores', { file_ids: [file] })).json);
  assistant = idOfObject(
    (await v2('POST', '/assistants', { model: 'chat-large', tools: [functionTool] })).json,
  );
});

afterAll(async () => reference.close());

const createResources = () => ({
  code_interpreter: { file_ids: [file] },
  file_search: { vector_store_ids: [store], vector_stores: [{ file_ids: [file], metadata: { a: 'b' } }] },
});
const tools = [{ type: 'file_search' }, { type: 'code_interpreter' }];
const createMessages = () => [
  {
    role: 'user',
    content: 'weather',
    file_ids: [file],
    attachments: [{ file_id: file, tools }],
    metadata: { a: 'b' },
  },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'x' },
      { type: 'image_file', image_file: { file_id: file } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ],
  },
];
const createRunFields = () => ({
  assistant_id: assistant,
  model: 'chat-large',
  instructions: 'i',
  additional_instructions: 'j',
  additional_messages: createMessages(),
  tools: [functionTool, ...tools],
  tool_resources: createResources(),
  metadata: { a: 'b' },
  temperature: 1,
  top_p: 1,
  stream: true,
  max_prompt_tokens: 1000,
  max_completion_tokens: 1000,
  truncation_strategy: { type: 'last_messages', last_messages: 2 },
  tool_choice: { type: 'function', function: { name: 'get_weather' } },
  response_format: { type: 'json_object' },
  parallel_tool_calls: true,
});
const createAssistantFields = () => ({ ...createRunFields(), name: 'n', description: 'd', file_ids: [file] });
const createThreadFields = () => ({
  messages: createMessages(),
  metadata: { a: 'b' },
  tool_resources: createResources(),
});

const createThreadPath = async () => `/threads/${idOfObject((await v2('POST', '/threads', {})).json)}`;

interface Target {
  readonly path: string;
  readonly body: unknown;
}

async function createWaitingRun(): Promise<Target> {
  const { events } = await v2('POST', '/threads/runs', {
    ...createRunFields(),
    thread: createThreadFields(),
  });
  const last = JSON.parse(JSON.stringify(events.at(-1)?.data));
  const outputs = last.required_action.submit_tool_outputs.tool_calls.map((waitingCall: object) => ({
    tool_call_id: idOfObject(waitingCall),
    output: 'o',
  }));
  return {
    path: `/threads/${last.thread_id}/runs/${last.id}/submit_tool_outputs`,
    body: { tool_outputs: outputs, stream: true },
  };
}

const targets: readonly (() => Promise<Target>)[] = [
  async () => ({ path: '/assistants', body: createAssistantFields() }),
  async () => ({
    path: `/assistants/${assistant}`,
    body: { ...createAssistantFields(), tools: [functionTool] },
  }),
  async () => ({ path: `/assistants/${assistant}/files`, body: { file_id: file } }),
  async () => ({ path: '/threads', body: createThreadFields() }),
  async () => ({ path: await createThreadPath(), body: createThreadFields() }),
  async () => ({ path: `${await createThreadPath()}/messages`, body: createMessages()[0] }),
  async () => ({ path: `${await createThreadPath()}/messages`, body: createMessages()[1] }),
  async () => ({ path: `${await createThreadPath()}/runs`, body: createRunFields() }),
  async () => ({ path: '/threads/runs', body: { ...createRunFields(), thread: createThreadFields() } }),
  createWaitingRun,
  async () => ({
    path: '/vector_stores',
    body: { file_ids: [file], name: 'n', expires_after: { anchor: 'a', days: 3 } },
  }),
  async () => ({
    path: `/vector_stores/${store}`,
    body: { name: 'n', expires_after: { duration: 5_000 }, metadata: {} },
  }),
  async () => ({ path: `/vector_stores/${store}/files`, body: { file_id: file } }),
  async () => ({ path: `/vector_stores/${store}/file_batches`, body: { file_ids: [file] } }),
];

const unusualValue = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    0,
    -1,
    2 ** 53,
    0.5,
    '',
    '__proto__',
    true,
    [],
    {},
    [[]],
    [null],
    [{}],
    'required',
  ),
  fc.constantFrom({ type: 'function' }, { type: 'file_search' }, { type: 'retrieval' }, { constructor: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const edits = fc.array(fc.record({ at: fc.nat(80), to: unusualValue }), { minLength: 1, maxLength: 3 });

it('the assistants API answers or rejects any edited request, ends each stream, and still responds', async () => {
  const attempt = fc.record({ target: fc.nat(targets.length - 1), edits, isV1: fc.boolean() });
  const check = async ({ target, edits, isV1 }: typeof attempt extends fc.Arbitrary<infer T> ? T : never) => {
    const { path, body } = (await targets[target]?.()) ?? { path: '/', body: null };
    const { status, events } = await (isV1 ? v1 : v2)('POST', path, editJson(body, edits));
    expect([200, 400, 404]).toContain(status);
    if (events.length > 0)
      expect(events.at(-1)?.event).toMatch(/^thread\.run\.(completed|incomplete|requires_action)$/);
  };
  await fc.assert(fc.asyncProperty(attempt, check), { numRuns: 600, seed: 20_240_513 });
  expect((await v2('GET', `/assistants/${assistant}`)).status).toBe(200);
});
