import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadExtensions } from '../../extension/load.ts';
import { CHOIR, songDocument, writeExtension } from '../../extension/testing/choir.ts';
import type { JsonObject } from '../../schemas/json.ts';
import { useExtensions } from '../../schemas/specification.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { RequestSketch, ResponseSketch } from '../testing/trace-builder.ts';

const V1 = { beta: 'assistants=v1' };
const V2 = { beta: 'assistants=v2' };
const REFUSAL: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

function countRefusals(sent: readonly CallSketch[]) {
  const { refused, open } = evaluateAcceptance(sent);
  return { refusals: [...refused.values()].reduce((a, b) => a + b, 0), open };
}

describe('a thread', () => {
  const path = { thread_id: 'thread_1' };
  const assistant: CallSketch = [
    'createAssistant',
    { ...V2, body: { model: 'm' } },
    { json: { id: 'asst_1', object: 'assistant' } },
  ];
  const thread: CallSketch = [
    'createThread',
    { ...V2, body: {} },
    { json: { id: 'thread_1', object: 'thread' } },
  ];
  const other: CallSketch = [
    'createThread',
    { ...V2, body: {} },
    { json: { id: 'thread_2', object: 'thread' } },
  ];
  const message = (answer: ResponseSketch, after?: number): CallSketch => [
    'createMessage',
    {
      beta: 'assistants=v1',
      path,
      body: { role: 'user', content: 'x' },
      ...(after === undefined ? {} : { after }),
    },
    answer,
  ];
  const run = (status: string): CallSketch => [
    'createRun',
    { ...V2, path, body: { assistant_id: 'asst_1', stream: true } },
    {
      headers: [['content-type', 'text/event-stream']],
      events: [
        {
          event: 'thread.run.created',
          data: { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', status: 'queued' },
        },
        {
          event: `thread.run.${status}`,
          data: { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', status },
        },
      ],
    },
  ];

  test('without a run must accept messages and runs', () => {
    expect(countRefusals([assistant, thread, message(REFUSAL)]).refusals).toBe(1);
    const refusedRun: CallSketch = ['createRun', { ...V2, path, body: { assistant_id: 'asst_1' } }, REFUSAL];
    expect(countRefusals([assistant, thread, refusedRun]).refusals).toBe(1);
  });

  test('whose run has ended must accept messages again', () => {
    expect(countRefusals([assistant, thread, run('completed'), message(REFUSAL)]).refusals).toBe(1);
  });

  // No response has shown the assistant, so the refusal of the run itself does not count.
  const failedRun = (status: number): CallSketch => [
    'createRun',
    { ...V2, path, body: { assistant_id: 'asst_unknown' } },
    { ...REFUSAL, status },
  ];

  test.each([400, 401, 403])('whose run was refused with %d must accept messages', (status) => {
    expect(countRefusals([assistant, thread, failedRun(status), message(REFUSAL)]).refusals).toBe(1);
  });

  test('may refuse messages after a 500, because a run may have begun', () => {
    expect(countRefusals([assistant, thread, failedRun(500), message(REFUSAL)]).refusals).toBe(0);
  });

  test.for([
    ['whose run waits', [assistant, thread, run('requires_action'), message(REFUSAL)]],
    [
      'whose run ended only while the message was sent',
      [assistant, thread, run('completed'), message(REFUSAL, 2)],
    ],
    ['that no response has shown', [assistant, other, message(REFUSAL)]],
  ] as const)('%s may refuse a message', ([, sent]) => {
    expect(countRefusals(sent)).toEqual({ refusals: 0, open: { object: 1 } });
  });

  test('with a run that only a stream has shown must list the steps and messages of that run', () => {
    const steps: CallSketch = ['listRunSteps', { ...V2, path: { ...path, run_id: 'run_1' } }, REFUSAL];
    expect(countRefusals([assistant, run('completed'), steps]).refusals).toBe(1);
    const messages: CallSketch = [
      'listMessages',
      { beta: 'assistants=v1', path, query: { run_id: 'run_1' } },
      REFUSAL,
    ];
    expect(countRefusals([assistant, run('completed'), messages]).refusals).toBe(1);
  });
});

describe('a file', () => {
  const upload = (id: string, value: string): CallSketch => [
    'createFile',
    {
      form: [
        { name: 'purpose', value: 'assistants' },
        { name: 'file', value, filename: 'a.txt' },
      ],
    },
    { json: { id, object: 'file' } },
  ];
  const store: CallSketch = [
    'createVectorStore',
    { ...V2, body: {} },
    { json: { id: 'vs_1', object: 'vector_store' } },
  ];
  const put = (file_id: string, answer: ResponseSketch): CallSketch => [
    'createVectorStoreFile',
    { ...V2, path: { vector_store_id: 'vs_1' }, body: { file_id } },
    answer,
  ];
  const OK: ResponseSketch = { json: { id: 'x', object: 'vector_store.file' } };

  test('with content that was accepted before must be accepted', () => {
    expect(
      countRefusals([
        store,
        upload('file-1', 'x'),
        upload('file-2', 'x'),
        put('file-1', OK),
        put('file-2', REFUSAL),
      ]).refusals,
    ).toBe(1);
  });

  test.for([
    [
      'with other content',
      [store, upload('file-1', 'x'), upload('file-2', 'y'), put('file-1', OK), put('file-2', REFUSAL)],
      {},
    ],
    [
      'that is in the store already',
      [store, upload('file-1', 'x'), put('file-1', OK), put('file-1', REFUSAL)],
      { object: 1 },
    ],
  ] as const)('%s may be refused', ([, sent, open]) => {
    expect(countRefusals(sent)).toEqual({ refusals: 0, open });
  });

  const batchInput = (id: string, lines: readonly object[], answer: ResponseSketch): CallSketch => {
    const value = lines.map((line) => JSON.stringify(line)).join('\n');
    const form = [
      { name: 'purpose', value: 'batch' },
      { name: 'file', value, filename: `${id}.jsonl` },
    ];
    return ['createFile', { form }, answer];
  };
  const fileList: CallSketch = ['listFiles', {}, { json: { object: 'list', data: [] } }];
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { model: 'm' } };

  test('of batch requests must be accepted only if its lines are valid and have distinct ids', () => {
    expect(countRefusals([fileList, batchInput('a', [line], REFUSAL)]).refusals).toBe(1);
    expect(countRefusals([fileList, batchInput('a', [line, line], REFUSAL)]).refusals).toBe(0);
    expect(countRefusals([fileList, batchInput('a', [{ ...line, method: 'GET' }], REFUSAL)]).refusals).toBe(
      0,
    );
  });

  test('with more requests than a batch may contain may be refused', () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...line, custom_id: String(i) }));
    expect(countRefusals([fileList, batchInput('a', lines(50_000), REFUSAL)]).refusals).toBe(1);
    expect(countRefusals([fileList, batchInput('a', lines(50_001), REFUSAL)]).refusals).toBe(0);
  });
});

const ASSISTANT = { assistant_id: 'asst_1' };

const listOf = (...objects: readonly JsonObject[]): ResponseSketch => ({
  json: { object: 'list', data: objects },
});

test('an assistant is known only in the version that has shown it', () => {
  const assistantOf = (version: RequestSketch): CallSketch => [
    'createAssistant',
    { ...version, body: { model: 'm' } },
    { json: { id: 'asst_1', object: 'assistant' } },
  ];
  const run: CallSketch = ['createThreadAndRun', { ...V2, body: ASSISTANT }, REFUSAL];
  const retrievalOf = (version: RequestSketch): CallSketch => [
    'retrieveAssistant',
    { ...version, path: ASSISTANT },
    REFUSAL,
  ];
  const removalOf = (version: RequestSketch): CallSketch => [
    'deleteAssistant',
    { ...version, path: ASSISTANT },
    REFUSAL,
  ];
  expect(countRefusals([assistantOf(V2), retrievalOf(V2)]).refusals).toBe(1);
  expect(countRefusals([assistantOf(V2), retrievalOf(V1)]).refusals).toBe(0);
  expect(countRefusals([assistantOf(V1), retrievalOf(V1)]).refusals).toBe(1);
  expect(countRefusals([assistantOf(V2), run]).refusals).toBe(1);
  expect(countRefusals([assistantOf(V1), run]).refusals).toBe(0);
  expect(countRefusals([assistantOf(V2), removalOf(V1)]).refusals).toBe(0);
  expect(countRefusals([assistantOf(V1), removalOf(V1)]).refusals).toBe(1);
});

test('changes to an expired vector store may be refused, but neither its retrieval nor its deletion', () => {
  const stores: CallSketch = [
    'listVectorStores',
    V2,
    listOf({ id: 'vs_1', object: 'vector_store', status: 'expired' }),
  ];
  const onStore = { ...V2, path: { vector_store_id: 'vs_1' } };
  const change: CallSketch = ['modifyVectorStore', { ...onStore, body: { name: 'b' } }, REFUSAL];
  expect(countRefusals([stores, change]).refusals).toBe(0);
  expect(countRefusals([stores, ['retrieveVectorStore', onStore, REFUSAL]]).refusals).toBe(1);
  expect(countRefusals([stores, ['deleteVectorStore', onStore, REFUSAL]]).refusals).toBe(1);
});

test('names in metadata are not taken for names of ids or addresses', () => {
  const thread = (metadata: JsonObject, response: ResponseSketch): CallSketch => [
    'createThread',
    { ...V2, body: { metadata } },
    response,
  ];
  const created = { json: { id: 'thread_1', object: 'thread' } };
  const refused = thread({ user_id: 'u', url: 'x' }, REFUSAL);
  expect(countRefusals([thread({}, created), refused])).toEqual({ refusals: 1, open: {} });
});

test('a file_id within a member with a free name is taken for an id', async () => {
  const project = mkdtempSync(join(tmpdir(), 'assay-free-name-'));
  onTestFinished(() => {
    useExtensions([]);
    rmSync(project, { recursive: true });
  });
  const voice = { type: 'object', properties: { file_id: { type: 'string' } } };
  const voices = { type: 'object', additionalProperties: voice };
  const schema = { type: 'object', properties: { voices } };
  const post = {
    operationId: 'sing',
    requestBody: { content: { 'application/json': { schema } } },
    responses: { '200': { description: '', content: { 'application/json': { schema: {} } } } },
  };
  const document = { ...songDocument({}), paths: { '/v1/songs': { post } } };
  await loadExtensions([writeExtension(project, { 'extension.json': CHOIR, 'openapi.json': document })]);
  const sing = (body: JsonObject, response: ResponseSketch): CallSketch => ['choir.sing', { body }, response];
  const refused = sing({ voices: { alto: { file_id: 'file-unknown' } } }, REFUSAL);
  expect(countRefusals([sing({}, { json: {} }), refused])).toEqual({ refusals: 0, open: { object: 1 } });
});

test('an object whose kind is a member of Object.prototype is known like any other', () => {
  const files: CallSketch = ['listFiles', {}, listOf({ id: 'file-1', object: 'constructor' })];
  const retrieval: CallSketch = ['retrieveFile', { path: { file_id: 'file-1' } }, REFUSAL];
  expect(countRefusals([files, retrieval]).refusals).toBe(1);
});

test('a cursor may be refused while its object is being deleted', () => {
  const assistants: CallSketch = [
    'listAssistants',
    V2,
    listOf({ id: 'asst_1', object: 'assistant' }, { id: 'asst_2', object: 'assistant' }),
  ];
  const page = (cursor: string): CallSketch => [
    'listAssistants',
    { ...V2, query: { after: cursor } },
    REFUSAL,
  ];
  const removal: CallSketch = [
    'deleteAssistant',
    { ...V2, path: ASSISTANT, after: 1 },
    { json: { id: 'asst_1', object: 'assistant.deleted', deleted: true } },
  ];
  expect(countRefusals([assistants, page('asst_1')]).refusals).toBe(1);
  expect(countRefusals([assistants, page('asst_1'), removal]).refusals).toBe(0);
  expect(countRefusals([assistants, page('asst_2'), removal]).refusals).toBe(1);
});

test('an id with an invalid percent escape is known as it was sent', () => {
  const retrieval = (response: ResponseSketch): CallSketch => [
    'retrieveFile',
    { target: '/v1/files/50%' },
    response,
  ];
  expect(countRefusals([retrieval(REFUSAL)]).refusals).toBe(0);
  expect(
    countRefusals([retrieval({ json: { id: '50%', object: 'file' } }), retrieval(REFUSAL)]).refusals,
  ).toBe(1);
});

test('an id with a lone surrogate is known by its path with U+FFFD', () => {
  const files: CallSketch = ['listFiles', {}, listOf({ id: 'file-\ud800', object: 'file' })];
  const retrieval: CallSketch = ['retrieveFile', { path: { file_id: 'file-\ud800' } }, REFUSAL];
  expect(countRefusals([files, retrieval]).refusals).toBe(1);
});
