import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { cleanUp } from '../cleanup.ts';
import { deleteResources } from './delete-resources.ts';
import { JobWaits } from './job-waits.ts';
import { ResourceLedger, readLedger } from './resource-ledger.ts';

const PAGE_SIZE = 3;
let folder = '';
let server: Server;
let url = '';
let live: Map<string, Record<string, unknown>>;
let seen: string[];
const ledgers: ResourceLedger[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-cleanup-'));
  live = new Map();
  seen = [];
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`; // as: a TCP server that listens has a port
});

afterEach(async () => {
  for (const ledger of ledgers.splice(0)) ledger.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { method = '', url: path = '' } = request;
  seen.push(`${method} ${path}`);
  const object = live.get(path);
  const cancelled = live.get(path.replace(/\/cancel$/, ''));
  const [list = '', query] = path.split('?');
  const elements = [...live].filter(([at]) => at.startsWith(`${list}/`)).map(([, element]) => element);
  const from = elements.findIndex(({ id }) => id === new URLSearchParams(query).get('after')) + 1;
  const page = elements.slice(from, from + PAGE_SIZE);
  let status = 200;
  let body: unknown = { object: 'list', data: page, has_more: from + PAGE_SIZE < elements.length };
  if (method === 'DELETE') {
    status = live.delete(path) ? 200 : 404;
    body = status === 200 ? { deleted: true } : {};
  } else if (path.endsWith('/cancel') && cancelled !== undefined) {
    cancelled['status'] = 'cancelled';
    body = cancelled;
  } else if (object !== undefined) body = object;
  else if (list.split('/').length > 3 && !list.endsWith('jobs')) status = 404;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function createLedger(): { file: string; ledger: ResourceLedger } {
  const file = join(folder, 'ledger.jsonl');
  const ledger = ResourceLedger.create(file, {
    ledger: 1,
    baseUrl: url,
    betaHeader: 'Vendor-Beta',
    tag: 'assay-0123456789',
  });
  ledgers.push(ledger);
  return { file, ledger };
}

test('the objects in the ledger of a crashed run are deleted, newest first, and not a second time', async () => {
  const { file, ledger } = createLedger();
  ledger.record(ledger.recordIntent('a', 'createFile', 'assay-0123456789-1'), 'made', { id: 'file-1' });
  ledger.record(ledger.recordIntent('b', 'createVectorStore', 'assay-0123456789-1'), 'made', { id: 'vs_1' });
  live.set('/v1/files/file-1', {}).set('/v1/vector_stores/vs_1', {});
  const result = await cleanUp(file, { baseUrl: url, apiKey: null });
  expect(result).toMatchObject({ baseUrl: url, betaHeader: 'Vendor-Beta', removed: 2, leftovers: [] });
  expect(seen).toEqual(['DELETE /v1/vector_stores/vs_1', 'DELETE /v1/files/file-1']);
  expect(live.size).toBe(0);
  expect(await cleanUp(file, { baseUrl: url, apiKey: null })).toMatchObject({ removed: 0 });
  expect(seen).toHaveLength(2);
});

test('jobs stay and are listed, after unfinished ones are cancelled and their results deleted', async () => {
  const { file, ledger } = createLedger();
  ledger.record(ledger.recordIntent('a', 'createBatch', 'assay-0123456789-1'), 'made', { id: 'batch_1' });
  ledger.record(ledger.recordIntent('a', 'createFineTuningJob', 'assay-0123456789-1'), 'made', {
    id: 'ftjob-1',
  });
  live.set('/v1/batches/batch_1', { status: 'in_progress', output_file_id: 'file-out', error_file_id: null });
  live.set('/v1/fine_tuning/jobs/ftjob-1', {
    status: 'succeeded',
    fine_tuned_model: 'ft:a:b',
    result_files: ['file-r'],
  });
  live.set('/v1/files/file-out', {}).set('/v1/files/file-r', {}).set('/v1/models/ft%3Aa%3Ab', {});
  const { leftovers } = await cleanUp(file, { baseUrl: url, apiKey: null });
  const stays = { why: 'not-deletable', children: [] };
  expect(leftovers).toMatchObject([
    { operation: 'createFineTuningJob', id: 'ftjob-1', remainder: { ...stays, state: 'succeeded' } },
    { operation: 'createBatch', id: 'batch_1', remainder: { ...stays, state: 'cancelled' } },
  ]);
  expect(seen).toContain('POST /v1/batches/batch_1/cancel');
  expect(seen).not.toContain('POST /v1/fine_tuning/jobs/ftjob-1/cancel');
  expect([...live.keys()]).toEqual(['/v1/batches/batch_1', '/v1/fine_tuning/jobs/ftjob-1']);
});

test('a target that leaves cancelled jobs running is waited for once, not for each job', async () => {
  const { ledger } = createLedger();
  const ids = ['batch_1', 'batch_2', 'batch_3'];
  for (const id of ids)
    ledger.record(ledger.recordIntent('a', 'createBatch', 'assay-0123456789-1'), 'made', { id });
  const pauses: number[] = [];
  const retrievedIds: string[] = [];
  const exchange = {
    id: 'e1',
    request: { method: 'GET', target: '/v1/batches/b' },
    response: {
      status: 200,
      headers: [['Content-Type', 'application/json']],
      body: Body.from('{"status":"in_progress"}'),
    },
    end: { how: 'complete' },
  } as unknown as Exchange; // as: the parts that are read
  const remains = await deleteResources(ledger, ledger.entriesToClean(), {
    call: async (operation, { path }) => {
      if (operation === 'retrieveBatch') retrievedIds.push(path?.['batch_id'] ?? '');
      return exchange;
    },
    fetchUnknownPath: () => Promise.reject(new Error('not asked for')),
    waits: new JobWaits(async (ms) => pauses.push(ms)),
  });
  expect(remains).toMatchObject(
    ids
      .toReversed()
      .map((id) => ({ id, remainder: { why: 'not-deletable', state: 'in_progress' }, final: false })),
  );
  expect(pauses).toEqual([20, 40, 80, 160, 320, 640, 1280]);
  // The first job is polled eight times, later ones once; each is retrieved once before.
  expect(retrievedIds).toHaveLength(9 + 2 + 2);
});

test('an object whose id was never received is found by its tag and deleted', async () => {
  const { file, ledger } = createLedger();
  ledger.recordIntent('a', 'createFile', 'assay-0123456789-7');
  ledger.recordIntent('a', 'createAssistant', 'assay-0123456789-8');
  live.set('/v1/files/file-1', { id: 'file-1', filename: 'assay-0123456789-7.txt' });
  live.set('/v1/files/file-2', { id: 'file-2', filename: 'of-somebody-else.txt' });
  expect(await cleanUp(file, { baseUrl: url, apiKey: null })).toMatchObject({ leftovers: [] });
  expect([...live.keys()]).toEqual(['/v1/files/file-2']);
  expect(readLedger(file).entries.map(({ state }) => state)).toEqual(['gone', 'nothing']);
});

test.for(['', 'file', 'assay-', 'assay-0123456789', 'assay-0123456789-', 'assay-ffffffffff-1'])(
  'a ledger with an entry tagged %j, which its run would not choose, is rejected before any request',
  async (tag) => {
    const { file, ledger } = createLedger();
    ledger.recordIntent('a', 'createFile', tag);
    live.set('/v1/files/file-2', { id: 'file-2', object: 'file', filename: 'assay-0123456789-2.txt' });
    await expect(cleanUp(file, { baseUrl: url, apiKey: 'k' })).rejects.toThrow(
      'is not the ledger of one run',
    );
    expect(seen).toEqual([]);
  },
);

test('an id that cannot be part of a path is not sent', async () => {
  const { file, ledger } = createLedger();
  const ids = ['..', '.', '../../organization/users/u', 'a/../../b', '..\\x', '\ud800'];
  for (const id of ids)
    ledger.record(ledger.recordIntent('a', 'createFile', 'assay-0123456789-1'), 'made', { id });
  ledger.record(ledger.recordIntent('a', 'createFile', 'assay-0123456789-1'), 'made', { id: 'file-..1' });
  live.set('/v1/files/file-..1', {});
  const { removed, leftovers } = await cleanUp(file, { baseUrl: url, apiKey: null });
  expect([removed, leftovers.length]).toEqual([1, ids.length]);
  expect(seen).toEqual(['DELETE /v1/files/file-..1']);
});

test('a ledger of another target is rejected before any request', async () => {
  const { file, ledger } = createLedger();
  ledger.record(ledger.recordIntent('a', 'createFile', 'assay-0123456789-1'), 'made', { id: 'file-1' });
  const other = cleanUp(file, { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k' });
  await expect(other).rejects.toThrow(`lists objects on ${url}, not on http://127.0.0.1:9/v1`);
  expect(seen).toEqual([]);
});

test('the tag inside another word does not match', async () => {
  const { file, ledger } = createLedger();
  ledger.recordIntent('a', 'createFile', 'assay-0123456789-7');
  for (const filename of ['my-assay-0123456789-7.txt', 'assay-0123456789-7-b'])
    live.set(`/v1/files/${filename}`, { id: filename, filename });
  expect(await cleanUp(file, { baseUrl: url, apiKey: null })).toMatchObject({ removed: 0, leftovers: [] });
  expect(live.size).toBe(2);
});

test('a lost object is searched for beyond the first page, by its whole tag', async () => {
  const { file, ledger } = createLedger();
  ledger.recordIntent('a', 'createAssistant', 'assay-0123456789-1');
  for (let n = 10; n < 18; n++)
    live.set(`/v1/assistants/asst_${n}`, { id: `asst_${n}`, name: `assay-0123456789-${n}` });
  live.set('/v1/assistants/asst_1', { id: 'asst_1', name: 'assay-0123456789-1 of a run' });
  expect(await cleanUp(file, { baseUrl: url, apiKey: null })).toMatchObject({ removed: 1, leftovers: [] });
  expect(live.has('/v1/assistants/asst_1')).toBe(false);
  expect(live.size).toBe(8);
});

test('a lost object is found behind a page with another object of the same scenario', async () => {
  const { file, ledger } = createLedger();
  const tag = 'assay-0123456789-1';
  ledger.record(ledger.recordIntent('a', 'createAssistant', tag), 'made', { id: 'asst_1' });
  ledger.recordIntent('a', 'createAssistant', tag);
  for (let n = 1; n <= PAGE_SIZE + 1; n++)
    live.set(`/v1/assistants/asst_${n}`, { id: `asst_${n}`, name: n === 2 || n === 3 ? 'other' : tag });
  expect(await cleanUp(file, { baseUrl: url, apiKey: null })).toMatchObject({ removed: 2, leftovers: [] });
  expect([...live.keys()]).toEqual(['/v1/assistants/asst_2', '/v1/assistants/asst_3']);
});

test('a second cleanup retries a failed deletion and lists again what cannot be deleted', async () => {
  const { file, ledger } = createLedger();
  ledger.record(ledger.recordIntent('a', 'createBatch', 'assay-0123456789-1'), 'made', { id: 'batch_1' });
  ledger.record(ledger.recordIntent('a', 'createFile', 'assay-0123456789-1'), 'made', { id: 'file-1' });
  live.set('/v1/batches/batch_1', { status: 'completed' }).set('/v1/files/file-1', {});
  server
    .removeListener('request', answer)
    .on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.method === 'DELETE') response.writeHead(500).end();
      else answer(request, response);
    });
  const first = await cleanUp(file, { baseUrl: url, apiKey: null });
  expect(first.leftovers.map(({ id, final }) => [id, final])).toEqual([
    ['file-1', false],
    ['batch_1', true],
  ]);
  server.removeAllListeners('request').on('request', answer);
  const second = await cleanUp(file, { baseUrl: url, apiKey: null });
  expect(second).toMatchObject({ removed: 1, leftovers: [{ id: 'batch_1', final: true }] });
  expect(live.has('/v1/files/file-1')).toBe(false);
});

test('an assistant that the target shows only under the v1 header is deleted under that header', async () => {
  const { file, ledger } = createLedger();
  ledger.record(ledger.recordIntent('a', 'createAssistant', 'assay-0123456789-1'), 'made', { id: 'asst_1' });
  live.set('/v1/assistants/asst_1', {});
  server
    .removeListener('request', answer)
    .on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.headers['vendor-beta'] === 'assistants=v1') answer(request, response);
      else response.writeHead(404).end();
    });
  expect(await cleanUp(file, { baseUrl: url, apiKey: null })).toMatchObject({ removed: 1, leftovers: [] });
  expect(live.size).toBe(0);
});

test('an assistant that the target shows only under the v1 header, and does not delete, is left in the ledger', async () => {
  const { file, ledger } = createLedger();
  ledger.record(ledger.recordIntent('a', 'createAssistant', 'assay-0123456789-1'), 'made', { id: 'asst_1' });
  live.set('/v1/assistants/asst_1', { id: 'asst_1' });
  server
    .removeListener('request', answer)
    .on('request', (request: IncomingMessage, response: ServerResponse) => {
      const isShown = request.headers['vendor-beta'] === 'assistants=v1' && request.method === 'GET';
      if (isShown) answer(request, response);
      else response.writeHead(404).end(request.url?.includes('asst_1') ? 'no such assistant' : '');
    });
  const { removed, leftovers } = await cleanUp(file, { baseUrl: url, apiKey: null });
  expect([removed, leftovers]).toMatchObject([0, [{ id: 'asst_1', remainder: { why: 'still-there' } }]]);
  expect(readLedger(file).entries.map(({ state }) => state)).toEqual(['left']);
});

test('objects that a target refuses to delete or to list are left in the ledger', async () => {
  const { file, ledger } = createLedger();
  ledger.record(ledger.recordIntent('a', 'createFile', 'assay-0123456789-1'), 'made', { id: 'file-1' });
  ledger.recordIntent('a', 'createFile', 'assay-0123456789-1');
  server.removeAllListeners('request').on('request', (_request, response: ServerResponse) => {
    response.writeHead(403).end();
  });
  const { leftovers } = await cleanUp(file, { baseUrl: url, apiKey: null });
  const refused = { kind: 'answered', method: 'DELETE', path: '/v1/files/file-1', status: 403 };
  const remainders = [
    { why: 'not-listed', method: 'GET', path: '/v1/files' },
    { why: 'not-deleted', obstacle: refused },
  ];
  expect(leftovers.map(({ remainder }) => remainder)).toEqual(remainders);
  expect(readLedger(file).entries.map(({ state, how }) => [state, how])).toEqual([
    ['left', remainders[1]],
    ['left', remainders[0]],
  ]);
});

test('an object of an extension that is not loaded stays in the ledger, and the others are removed', async () => {
  const { file, ledger } = createLedger();
  ledger.record(ledger.recordIntent('a', 'createFile', 'assay-0123456789-1'), 'made', { id: 'file-1' });
  ledger.record(ledger.recordIntent('a', 'other.create', 'assay-0123456789-2'), 'made', { id: 'other_1' });
  live.set('/v1/files/file-1', {});
  const message = 'Operation other.create is not in openapi.json or an active extension.';
  expect(await cleanUp(file, { baseUrl: url, apiKey: null })).toMatchObject({
    removed: 1,
    leftovers: [{ id: 'other_1', remainder: { why: 'failed', message }, final: false }],
  });
  expect(readLedger(file).entries.map(({ state }) => state)).toEqual(['gone', 'left']);
});

test('an object that no operation deletes stays in the ledger', async () => {
  const { file, ledger } = createLedger();
  ledger.record(ledger.recordIntent('a', 'createChatCompletion', 'assay-0123456789-1'), 'made', {
    id: 'c-1',
  });
  const message = 'no operation deletes what createChatCompletion creates';
  expect(await cleanUp(file, { baseUrl: url, apiKey: null })).toMatchObject({
    removed: 0,
    leftovers: [{ id: 'c-1', remainder: { why: 'failed', message }, final: false }],
  });
  expect(readLedger(file).entries.map(({ state }) => state)).toEqual(['left']);
});
