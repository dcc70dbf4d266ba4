// The key and the project identify a caller: what one caller has need not exist for another.
import { describe, expect, test } from 'vitest';
import type { Json } from '../exchange/http/body.ts';
import { brokenIds, judgeServiceTraffic, type Sketch } from './testing/service-traffic.ts';

const file = (id: string): Json => ({
  id,
  object: 'file',
  bytes: 5,
  created_at: 1_700_000_000,
  filename: 'a.txt',
  purpose: 'assistants',
  status: 'processed',
  status_details: null,
});
const upload = (id: string): Sketch => ({
  call: 'POST /v1/files',
  form: [
    ['purpose', 'assistants'],
    ['file', 'hello', 'a.txt'],
  ],
  answer: file(id),
});
const retrieval = (id: string): Sketch => ({ call: `GET /v1/files/${id}`, answer: file(id) });
const missingFile: Sketch = {
  call: 'GET /v1/files/file-1',
  status: 404,
  answer: { error: { message: 'no' } },
};
const fileList = (...ids: readonly string[]): Sketch => ({
  call: 'GET /v1/files',
  answer: { object: 'list', data: ids.map(file) },
});
const otherCallers: readonly (readonly [string, Partial<Sketch>])[] = [
  ['key', { key: 'of-another' }],
  ['project', { project: 'proj_2' }],
];

const listBroken = async (...sketches: readonly Sketch[]) =>
  brokenIds(await judgeServiceTraffic(sketches, null));

describe.each(otherCallers)('another %s', (_, other) => {
  test('need not find or list an uploaded file', async () => {
    const earlier = [upload('file-1'), retrieval('file-1')];
    expect(
      await listBroken(...earlier, { ...retrieval('file-2'), ...other }, { ...missingFile, ...other }),
    ).toEqual([]);
    expect(await listBroken(...earlier, { ...fileList('file-2'), ...other })).toEqual([]);
    expect(await listBroken(...earlier, { ...fileList(), ...other }, fileList('file-1'))).toEqual([]);
  });

  test('has to find and to list the files that it has uploaded itself', async () => {
    const ownUpload = { ...upload('file-1'), ...other };
    const earlier = [upload('file-2'), retrieval('file-2'), ownUpload, { ...retrieval('file-1'), ...other }];
    expect(await listBroken(...earlier, { ...missingFile, ...other })).toContain('files.retrieve.found');
    expect(await listBroken(...earlier, { ...fileList(), ...other })).toContain('files.list.tells-uploaded');
  });

  test('does not excuse hiding a file from the caller that uploaded it', async () => {
    const earlier = [upload('file-1'), retrieval('file-1'), { ...fileList(), ...other }];
    expect(await listBroken(...earlier, missingFile)).toContain('files.retrieve.found');
    expect(await listBroken(...earlier, fileList())).toContain('files.list.tells-uploaded');
  });

  test('may delete what both can see', async () => {
    const confirmation = { id: 'file-1', object: 'file', deleted: true };
    const deletion: Sketch = { call: 'DELETE /v1/files/file-1', answer: confirmation, ...other };
    expect(
      await listBroken(upload('file-1'), retrieval('file-1'), deletion, missingFile, fileList()),
    ).toEqual([]);
  });
});

const beta = 'v2';
const store = (id: string): Json => ({
  id,
  object: 'vector_store',
  created_at: 1_700_000_000 + Number(id.at(-1)),
  name: 'a',
  usage_bytes: 0,
  file_counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
  status: 'completed',
  expires_after: null,
  expires_at: null,
  last_active_at: 1_700_000_000,
  metadata: {},
});
const storeCreation = (id: string): Sketch => ({
  call: 'POST /v1/vector_stores',
  beta,
  sent: { name: 'a' },
  answer: store(id),
});
const storeList = (query: string, ...ids: readonly string[]): Sketch => ({
  call: `GET /v1/vector_stores?order=asc${query}`,
  beta,
  answer: {
    object: 'list',
    data: ids.map(store),
    first_id: ids.at(0) ?? null,
    last_id: ids.at(-1) ?? null,
    has_more: false,
  },
});

const thread: Json = {
  id: 'thread_1',
  object: 'thread',
  created_at: 1_700_000_000,
  metadata: {},
  tool_resources: {},
};
const missingThread: Sketch = {
  call: 'GET /v1/threads/thread_1',
  beta,
  status: 404,
  answer: { error: { message: 'no' } },
};
const threadCreation: Sketch = { call: 'POST /v1/threads', beta, sent: {}, answer: thread };

const withHost = (keylessHost: string, ...sketches: readonly Sketch[]) =>
  sketches.map((sketch) => ({ ...sketch, keylessHost }));

describe("a recording without its callers' keys", () => {
  const cases: readonly (readonly [string, readonly Sketch[], string])[] = [
    ['a file is not found', [upload('file-1'), retrieval('file-1'), missingFile], 'files.retrieve.found'],
    [
      'a file is not listed',
      [upload('file-1'), retrieval('file-1'), fileList()],
      'files.list.tells-uploaded',
    ],
    [
      'a thread is not found',
      [threadCreation, { ...missingThread, status: 200, answer: thread }, missingThread],
      'retrieveThread:accepts',
    ],
  ];

  test.each(cases)(
    '%s, which is not a fault: another caller may have sent the request',
    async (_, traffic, id) => {
      expect(await listBroken(...traffic)).toContain(id);
      for (const host of ['api.example.com', '8.8.8.8:8000'])
        expect(await listBroken(...withHost(host, ...traffic))).toEqual([]);
    },
  );

  test.each(cases)(
    '%s by a service on the local network, which is a fault: such services show all callers the same',
    async (_, traffic, id) => {
      for (const host of ['127.0.0.1:8080', 'localhost:8080', 'vllm:8000', '192.168.1.7'])
        expect(await listBroken(...withHost(host, ...traffic))).toContain(id);
    },
  );

  test('still shows other faults', async () => {
    const other: Json = { ...Object(file('file-1')), bytes: 6 };
    const changed = [upload('file-1'), { ...retrieval('file-1'), answer: other }];
    expect(await listBroken(...withHost('api.example.com', ...changed))).toEqual(
      await listBroken(...changed),
    );
    expect(await listBroken(...changed)).not.toEqual([]);
  });
});

describe('lists without keys', () => {
  const HERE = 'localhost:8080';
  const ELSEWHERE = 'api.example.com';
  const earlier = [storeCreation('vs_1'), storeCreation('vs_2')];
  const changedStore: Json = { ...Object(store('vs_1')), created_at: 1_600_000_000 };
  const listing = storeList('', 'vs_1');

  test.each([
    ['after=vs_1', 'listVectorStores.page.after'],
    ['limit=20', 'listVectorStores.page.closure'],
  ])('may lack what another caller has created: %s', async (query, id) => {
    const page = storeList(`&${query}`, ...(query === 'limit=20' ? ['vs_1'] : []));
    expect(await listBroken(...withHost(HERE, ...earlier, page))).toContain(id);
    expect(await listBroken(...withHost(ELSEWHERE, ...earlier, page))).toEqual([]);
  });

  test('are judged by their order and by what they show of created and deleted objects', async () => {
    const listed = { ...listing, answer: { ...Object(listing.answer), data: [changedStore] } };
    const deleted: Sketch = {
      call: 'DELETE /v1/vector_stores/vs_1',
      beta,
      answer: { id: 'vs_1', object: 'vector_store.deleted', deleted: true },
    };
    for (const host of [HERE, ELSEWHERE]) {
      expect(await listBroken(...withHost(host, storeCreation('vs_1'), listed))).toContain(
        'vector-stores.list.as-made',
      );
      expect(await listBroken(...withHost(host, storeCreation('vs_1'), deleted, listing))).toContain(
        'vector-stores.delete.gone-from-list',
      );
      const backwards = storeList('', 'vs_2', 'vs_1');
      expect(await listBroken(...withHost(host, ...earlier, backwards))).toContain(
        'listVectorStores.page.order-asc',
      );
    }
  });

  test('are compared with each other by the objects that both contain', async () => {
    const page = (query: string, hasMore: boolean, ...ids: readonly string[]): Sketch => {
      const list = storeList(query, ...ids);
      return { ...list, answer: { ...Object(list.answer), has_more: hasMore } };
    };
    const pages = [...earlier, page('&limit=1', true, 'vs_1'), page('&limit=1&after=vs_1', false, 'vs_1')];
    for (const host of [HERE, ELSEWHERE])
      expect(await listBroken(...withHost(host, ...pages))).toContain('listVectorStores.page.after');
    const models = (...ids: readonly string[]): Sketch => ({
      call: 'GET /v1/models',
      answer: {
        object: 'list',
        data: ids.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'a' })),
      },
    });
    expect(await listBroken(...withHost(ELSEWHERE, models('shared', 'own'), models('shared')))).toEqual([]);
  });
});

test('keys of gateways distinguish callers', async () => {
  const [own, other] = ['one', 'two'].map((key) => ({ keylessHost: 'api.example.com', gatewayKey: key }));
  const earlier = [upload('file-1'), retrieval('file-1')].map((sketch) => ({ ...sketch, ...own }));
  expect(await listBroken(...earlier, { ...missingFile, ...other })).toEqual([]);
  expect(await listBroken(...earlier, { ...missingFile, ...own })).toContain('files.retrieve.found');
});

test('pages after a cursor contain what their own caller has created', async () => {
  const earlier = [storeCreation('vs_1'), storeCreation('vs_2')];
  const page = storeList('&after=vs_1');
  expect(await listBroken(...earlier, { ...page, key: 'of-another' })).toEqual([]);
  expect(await listBroken(...earlier, page)).toContain('listVectorStores.page.after');
});

describe('recordings that are judged together', () => {
  const withDate = (day: number, ...sketches: readonly Sketch[]) =>
    sketches.map((sketch) => ({ ...sketch, date: new Date(Date.UTC(2024, 4, day)).toUTCString() }));
  test.each([
    ['a file is not found', [upload('file-1'), retrieval('file-1')], [missingFile], 'files.retrieve.found'],
    [
      'a file is not listed',
      [upload('file-1'), retrieval('file-1')],
      [fileList()],
      'files.list.tells-uploaded',
    ],
    [
      'a thread is not found',
      [threadCreation, { ...missingThread, status: 200, answer: thread }],
      [missingThread],
      'retrieveThread:accepts',
    ],
  ] as const)(
    '%s, which is a fault a day later, but not three weeks earlier or later',
    async (_, first, then, id) => {
      expect(await listBroken(...withDate(1, ...first), ...withDate(2, ...then))).toContain(id);
      expect(await listBroken(...withDate(1, ...first), ...withDate(22, ...then))).toEqual([]);
      expect(await listBroken(...withDate(22, ...first), ...withDate(1, ...then))).toEqual([]);
    },
  );
});
