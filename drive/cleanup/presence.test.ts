import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { operations, schema } from '../../schemas/index.ts';
import { cleanUp } from '../cleanup.ts';
import { isUnpaged } from './presence.ts';
import { ResourceLedger, readLedger } from './resource-ledger.ts';

let folder = '';
let close: () => Promise<unknown> = async () => {};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-presence-'));
});

afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

type Answer = readonly [status: number, body: unknown, type?: string];

function send(response: ServerResponse, [status, body, type = 'application/json']: Answer): void {
  response
    .writeHead(status, { 'content-type': type })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function cleanUpOn(
  answers: Readonly<Record<string, Answer>>,
  otherwise: Answer,
  operation = 'createAssistant',
  ids: readonly (string | null)[] = ['x_1'],
) {
  const listener: RequestListener = (request, response) => {
    const [path] = (request.url ?? '').split('?');
    request.resume();
    send(response, answers[`${request.method} ${path}`] ?? otherwise);
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  // as: a TCP server that listens has a port
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const file = join(folder, 'ledger.jsonl');
  const ledger = ResourceLedger.create(file, {
    ledger: 1,
    baseUrl,
    betaHeader: 'Vendor-Beta',
    tag: 'assay-0123456789',
  });
  for (const id of ids) {
    const n = ledger.recordIntent('a', operation, 'assay-0123456789-1');
    if (id !== null) ledger.record(n, 'made', { id });
  }
  ledger.close();
  const { leftovers, removed } = await cleanUp(file, { baseUrl, apiKey: null });
  return {
    removed,
    remainders: leftovers.map(({ remainder, final }) => ({ why: remainder.why, final })),
    states: readLedger(file).entries.map(({ state }) => state),
  };
}

const unknownRoute: Answer = [404, { detail: 'Not Found' }];
const noSuchObject: Answer = [404, { error: { message: 'No assistant found', code: null } }];
const leftResult = (why: string) => ({ removed: 0, remainders: [{ why, final: false }], states: ['left'] });
const GONE_RESULT = { removed: 1, remainders: [], states: ['gone'] };
const NOTHING_RESULT = { removed: 0, remainders: [], states: ['nothing'] };
const objectPath = '/v1/assistants/x_1';
const list = (...ids: readonly string[]): Answer => [
  200,
  { object: 'list', data: ids.map((id) => ({ id })), has_more: false },
];

test.for<[says: string, answers: Readonly<Record<string, Answer>>, expected: unknown]>([
  [
    'DELETE has no route, and the object is returned',
    { [`GET ${objectPath}`]: [200, { id: 'x_1' }] },
    leftResult('still-there'),
  ],
  [
    'DELETE has no route, and the list has the object',
    { 'GET /v1/assistants': list('y', 'x_1') },
    leftResult('still-there'),
  ],
  ['DELETE has no route, and the list has only others', { 'GET /v1/assistants': list('y') }, GONE_RESULT],
  ['only the creation has a route', {}, leftResult('unconfirmed')],
  [
    'the object is gone already',
    { [`DELETE ${objectPath}`]: noSuchObject, [`GET ${objectPath}`]: noSuchObject },
    GONE_RESULT,
  ],
  [
    'DELETE returns 405, and the object is returned',
    { [`DELETE ${objectPath}`]: [405, {}], [`GET ${objectPath}`]: [200, { id: 'x_1' }] },
    leftResult('not-deleted'),
  ],
  [
    'DELETE returns 200 with HTML, and the object is returned',
    {
      [`DELETE ${objectPath}`]: [200, '<p>ok</p>', 'text/html'],
      [`GET ${objectPath}`]: [200, { id: 'x_1' }],
    },
    leftResult('still-there'),
  ],
  [
    'every route returns 200 with HTML',
    {
      [`DELETE ${objectPath}`]: [200, '<p>ok</p>', 'text/html'],
      [`GET ${objectPath}`]: [200, '<p>ok</p>', 'text/html'],
    },
    leftResult('unconfirmed'),
  ],
  [
    'DELETE returns 200 with deleted: false',
    { [`DELETE ${objectPath}`]: [200, { deleted: false }], [`GET ${objectPath}`]: [200, { id: 'x_1' }] },
    leftResult('still-there'),
  ],
  [
    'DELETE returns 200 with another body, and the object is not found',
    { [`DELETE ${objectPath}`]: [200, {}], [`GET ${objectPath}`]: noSuchObject },
    GONE_RESULT,
  ],
  [
    'DELETE returns 200 with deleted: true',
    { [`DELETE ${objectPath}`]: [200, { deleted: true }] },
    GONE_RESULT,
  ],
])('cleanup reports only what the server shows: %s', async ([, answers, expected]) => {
  expect(await cleanUpOn(answers, unknownRoute)).toEqual(expected);
});

test('an endless list shows nothing about objects beyond the pages read', async () => {
  const page: Answer = [200, { object: 'list', data: [{ id: 'y' }], has_more: true }];
  expect(await cleanUpOn({ 'GET /v1/assistants': page }, unknownRoute)).toEqual(leftResult('unconfirmed'));
});

test('on a server without a list of threads, its 404 about the object counts, unless any path gets the same', async () => {
  const thread = '/v1/threads/x_1';
  const answers = { [`DELETE ${thread}`]: noSuchObject, [`GET ${thread}`]: noSuchObject };
  expect(await cleanUpOn(answers, unknownRoute, 'createThread')).toEqual(GONE_RESULT);
  await close();
  expect(await cleanUpOn({}, unknownRoute, 'createThread')).toEqual(leftResult('unconfirmed'));
});

const others = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `y_${n}`, object: 'any', filename: 'of-somebody-else' }));

test('a first page that does not say whether more follow shows nothing about the rest', async () => {
  // The server has 25 assistants, and this page shows 20 of them.
  const data = Array.from({ length: 20 }, (_, n) => ({ id: `asst_${n}` }));
  const answers: Readonly<Record<string, Answer>> = {
    'GET /v1/assistants': [200, { object: 'list', data, first_id: 'asst_0', last_id: 'asst_19' }],
  };
  const ids = ['asst_22', 'asst_24', 'asst_3', null];
  const result = await cleanUpOn(answers, unknownRoute, 'createAssistant', ids);
  expect(result.removed).toBe(0);
  expect(result.remainders.map(({ why }) => why)).toEqual([
    'not-listed',
    'still-there',
    'unconfirmed',
    'unconfirmed',
  ]);
  expect(result.states).toEqual(['left', 'left', 'left', 'left']);
});

test.for<[says: string, more: unknown]>([
  ['no value', undefined],
  ['null', null],
  ['a text', 'false'],
  ['a number', 0],
])('has_more with %s does not end a paginated list', async ([, more]) => {
  const page: Answer = [200, { object: 'list', data: others(2), has_more: more }];
  const answers = { 'GET /v1/assistants': page };
  expect(await cleanUpOn(answers, unknownRoute)).toEqual(leftResult('unconfirmed'));
  await close();
  expect(await cleanUpOn(answers, unknownRoute, 'createAssistant', [null])).toEqual(leftResult('not-listed'));
});

test('all lists are paginated except those of files and models', () => {
  const unpaged = operations().filter(isUnpaged);
  expect(unpaged.map(({ id }) => id).toSorted()).toEqual(['listFiles', 'listModels']);
  for (const operation of operations().filter(({ list }) => list !== null)) {
    const schemas = operation.variants.flatMap(({ answers }) =>
      answers.map((answer) => schema(answer.schema ?? '')),
    );
    for (const { properties } of schemas)
      expect('has_more' in Object(properties)).toBe(!isUnpaged(operation));
  }
});

test.for<[says: string, body: unknown, isComplete: boolean]>([
  ['is complete', { object: 'list', data: others(3) }, true],
  ['that is empty is complete', { object: 'list', data: [] }, true],
  [
    'with has_more: false is complete',
    { object: 'list', data: others(20), last_id: 'y_19', has_more: false },
    true,
  ],
  ['with has_more: true is not complete', { object: 'list', data: others(3), has_more: true }, false],
  ['with has_more: null is not complete', { object: 'list', data: others(3), has_more: null }, false],
  ['with a cursor is not complete', { object: 'list', data: others(3), next_page: 'abc' }, false],
  ['as long as a default page is not complete', { object: 'list', data: others(20) }, false],
  ['as long as the longest page is not complete', { object: 'list', data: others(100) }, false],
])('a list of files %s', async ([, body, isComplete]) => {
  const answers: Readonly<Record<string, Answer>> = { 'GET /v1/files': [200, body] };
  const known = await cleanUpOn(answers, unknownRoute, 'createFile');
  expect(known).toEqual(isComplete ? GONE_RESULT : leftResult('unconfirmed'));
  await close();
  const lost = await cleanUpOn(answers, unknownRoute, 'createFile', [null]);
  expect(lost).toEqual(isComplete ? NOTHING_RESULT : leftResult('not-listed'));
});

test('the remainder of a fine-tuning job is final only if a complete list of models lacks its model', async () => {
  const job = { id: 'x_1', status: 'succeeded', fine_tuned_model: 'ft:a', result_files: [] };
  const listRemainders = async (models: unknown) => {
    const answers: Readonly<Record<string, Answer>> = {
      'GET /v1/fine_tuning/jobs/x_1': [200, job],
      'GET /v1/models': [200, models],
    };
    const { remainders } = await cleanUpOn(answers, unknownRoute, 'createFineTuningJob');
    await close();
    return remainders;
  };
  const stays = { why: 'not-deletable', final: true };
  expect(await listRemainders({ object: 'list', data: others(2) })).toEqual([stays]);
  expect(await listRemainders({ object: 'list', data: others(2), has_more: 'no' })).toEqual([
    { ...stays, final: false },
  ]);
});
