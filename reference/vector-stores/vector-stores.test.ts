import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Reference, serveReference } from '../service.ts';
import {
  createPlainClient,
  idOfObject,
  type PlainCall,
  pluck,
  requestRefusal,
  uploadPlainFile,
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

async function serveInstead(settings: Parameters<typeof serveReference>[0]): Promise<void> {
  await reference.close();
  reference = await serveReference({ clock: () => now, ...settings });
  call = createPlainClient(reference.url);
}

const createStore = async (fields: object = {}) =>
  idOfObject((await call('POST', '/vector_stores', fields)).json);
const readStore = async (id: string) => (await call('GET', `/vector_stores/${id}`)).json;

describe('a vector store', () => {
  it('is completed with its files when it is first retrieved, and its retrieval says when to poll again', async () => {
    const file_ids = [
      await uploadPlainFile(reference.url),
      await uploadPlainFile(reference.url, 'b.txt', 'b'),
    ];
    const created = await call('POST', '/vector_stores', { name: 'n', file_ids });
    expect(created.json).toMatchObject({
      status: 'in_progress',
      usage_bytes: 0,
      file_counts: { in_progress: 2, total: 2 },
    });
    expect(pluck(await call('GET', '/vector_stores'), 'status')).toEqual(['in_progress']);
    const done = await call('GET', `/vector_stores/${idOfObject(created.json)}`);
    expect(done.json).toMatchObject({
      status: 'completed',
      usage_bytes: 12,
      file_counts: { completed: 2, total: 2 },
    });
    expect(done.headers.get('openai-poll-after-ms')).toBe('1');
  });

  it('expires the given time after its last use, and takes no files until its expiry is extended', async () => {
    const id = await createStore({ expires_after: { duration: 100 } });
    expect(await readStore(id)).toMatchObject({
      status: 'completed',
      expires_at: 1_000_100,
      expires_after: { duration: 100 },
    });
    now += 60_000;
    const file_id = await uploadPlainFile(reference.url);
    await call('POST', `/vector_stores/${id}/files`, { file_id });
    expect(await readStore(id)).toMatchObject({ last_active_at: 1_000_060, expires_at: 1_000_160 });
    now += 100_000;
    expect(await readStore(id)).toMatchObject({ status: 'expired', expires_at: 1_000_160 });
    expect(await requestRefusal(call, `/vector_stores/${id}/files`, { file_id })).toEqual([
      400,
      'vector_store_id',
    ]);
    const longer = await call('POST', `/vector_stores/${id}`, { expires_after: { duration: 1000 } });
    expect(longer.json).toMatchObject({ status: 'completed', expires_at: 1_001_060 });
    expect((await call('POST', `/vector_stores/${id}/files`, { file_id })).status).toBe(200);
  });

  it('stays expired if the service adds a file to it', async () => {
    await serveInstead({ choices: new Map([['vector-stores.expired.takes-files', 'accepted']]) });
    const id = await createStore({ expires_after: { duration: 100 } });
    now += 100_000;
    const file_id = await uploadPlainFile(reference.url);
    expect((await call('POST', `/vector_stores/${id}/files`, { file_id })).status).toBe(200);
    expect(await readStore(id)).toMatchObject({
      status: 'expired',
      expires_at: 1_000_100,
      file_counts: { total: 1 },
    });
  });

  it('accepts an expiry as anchor and days', async () => {
    const id = await createStore({ expires_after: { anchor: 'last_active_at', days: 7 } });
    const week = { anchor: 'last_active_at', days: 7, duration: 604_800 };
    expect(await readStore(id)).toMatchObject({ expires_after: week, expires_at: 1_604_800 });
  });

  it('rejects an invalid expiry', async () => {
    expect(await requestRefusal(call, '/vector_stores', { expires_after: {} })).toEqual([
      400,
      'expires_after.duration',
    ]);
    expect(await requestRefusal(call, '/vector_stores', { expires_after: { days: 'x' } })).toEqual([
      400,
      'expires_after.duration',
    ]);
    expect(await requestRefusal(call, '/vector_stores', { expires_after: { duration: 0 } })).toEqual([
      400,
      'expires_after.duration',
    ]);
  });

  it('keeps what a change does not name, and loses a name that is set to null', async () => {
    const id = await createStore({ name: 'n', metadata: { a: 'b' }, expires_after: { duration: 9 } });
    await call('POST', `/vector_stores/${id}`, { metadata: {} });
    expect(await readStore(id)).toMatchObject({ name: 'n', metadata: {}, expires_after: { duration: 9 } });
    await call('POST', `/vector_stores/${id}`, { name: null });
    expect(await readStore(id)).toMatchObject({ name: '' });
  });

  it('counts as used by runs that search it', async () => {
    const id = await createStore({ expires_after: { duration: 100 } });
    const tool_resources = { file_search: { vector_store_ids: [id] } };
    const fields = { model: 'chat-large', tools: [{ type: 'file_search' }], tool_resources };
    const assistant_id = idOfObject((await call('POST', '/assistants', fields)).json);
    now += 50_000;
    await call('POST', '/threads/runs', { assistant_id });
    expect(await readStore(id)).toMatchObject({ last_active_at: 1_000_050 });
  });
});

describe('the files of a vector store', () => {
  it('that never existed or were deleted fail with a message that permits both', async () => {
    await serveInstead({ choices: new Map([['vector-stores.create.unknown-file', 'created']]) });
    const deleted = await uploadPlainFile(reference.url);
    const id = await createStore({ file_ids: [deleted, 'file-none'] });
    await call('DELETE', `/files/${deleted}`);
    for (const file of [deleted, 'file-none'])
      expect((await call('GET', `/vector_stores/${id}/files/${file}`)).json).toMatchObject({
        last_error: {
          code: 'invalid_file',
          message: expect.stringMatching(/deleted .*, or never existed\.$/),
        },
      });
  });

  it('can be listed by state or up to a limit', async () => {
    const id = await createStore();
    const ids = [];
    for (const name of ['a.txt', 'b.png', 'c.txt']) {
      const file_id = await uploadPlainFile(reference.url, name);
      ids.push(file_id);
      await call('POST', `/vector_stores/${id}/files`, { file_id });
    }
    for (const file of ids.slice(0, 2)) await call('GET', `/vector_stores/${id}/files/${file}`);
    const list = async (query: string) =>
      pluck(await call('GET', `/vector_stores/${id}/files?order=asc&${query}`), 'id');
    expect(await list('filter=completed')).toEqual([ids[0]]);
    expect(await list('filter=failed')).toEqual([ids[1]]);
    expect(await list('filter=in_progress')).toEqual([ids[2]]);
    expect(await list('filter=cancelled')).toEqual([]);
    expect(await list('limit=2')).toEqual(ids.slice(0, 2));
    expect((await call('GET', `/vector_stores/${id}/files?filter=done`)).status).toBe(400);
  });

  it('fail if their type is not supported', async () => {
    const file_id = await uploadPlainFile(reference.url, 'b.png');
    const id = await createStore({ file_ids: [file_id] });
    expect((await call('GET', `/vector_stores/${id}/files/${file_id}`)).json).toMatchObject({
      status: 'failed',
      last_error: { code: 'unsupported_file' },
    });
  });

  it('that are deleted leave the store, not the service', async () => {
    const file_id = await uploadPlainFile(reference.url);
    const id = await createStore({ file_ids: [file_id] });
    const path = `/vector_stores/${id}/files/${file_id}`;
    expect((await call('DELETE', path)).json).toEqual({
      id: file_id,
      object: 'vector_store.file.deleted',
      deleted: true,
    });
    expect((await call('GET', path)).status).toBe(404);
    expect((await call('GET', `/files/${file_id}`)).status).toBe(200);
    expect(await readStore(id)).toMatchObject({ file_counts: { total: 0 } });
  });

  it('must exist when they are added', async () => {
    const path = `/vector_stores/${await createStore()}/files`;
    expect(await requestRefusal(call, path, { file_id: 'file-none' })).toEqual([400, 'file_id']);
  });
});

describe.each(['file_batches', 'files_batches'])('batches under %s', (word) => {
  it('count their files, end when these do, and cannot be cancelled afterwards', async () => {
    const id = await createStore();
    const file_ids = [
      await uploadPlainFile(reference.url),
      await uploadPlainFile(reference.url, 'e.txt', ''),
      await uploadPlainFile(reference.url),
    ];
    const created = await call('POST', `/vector_stores/${id}/${word}`, { file_ids });
    expect(created.json).toMatchObject({ status: 'in_progress', file_counts: { in_progress: 3, total: 3 } });
    const path = `/vector_stores/${id}/${word}/${idOfObject(created.json)}`;
    expect(pluck(await call('GET', `${path}/files?filter=in_progress&limit=2`), 'id')).toEqual(
      file_ids.slice(1).toReversed(),
    );
    const counts = { completed: 2, failed: 1, in_progress: 0, cancelled: 0, total: 3 };
    expect((await call('GET', path)).json).toMatchObject({ status: 'completed', file_counts: counts });
    expect((await call('POST', `${path}/cancel`)).status).toBe(409);
  });

  it('can be cancelled while files are in progress', async () => {
    const id = await createStore();
    const [first, second] = [await uploadPlainFile(reference.url), await uploadPlainFile(reference.url)];
    const path = `/vector_stores/${id}/${word}`;
    const batch = `${path}/${idOfObject((await call('POST', path, { file_ids: [first, second] })).json)}`;
    await call('GET', `/vector_stores/${id}/files/${first}`);
    const cancelling = await call('POST', `${batch}/cancel`);
    expect(cancelling.json).toMatchObject({
      status: 'cancelling',
      file_counts: { completed: 1, in_progress: 1 },
    });
    expect((await call('GET', batch)).json).toMatchObject({
      status: 'cancelled',
      file_counts: { completed: 1, cancelled: 1 },
    });
    expect(pluck(await call('GET', `${batch}/files?filter=cancelled`), 'id')).toEqual([second]);
  });

  it('accept nothing if one file is unknown', async () => {
    const id = await createStore();
    const path = `/vector_stores/${id}/${word}`;
    expect(
      await requestRefusal(call, path, { file_ids: [await uploadPlainFile(reference.url), 'file-none'] }),
    ).toEqual([400, 'file_ids[1]']);
    expect(await readStore(id)).toMatchObject({ file_counts: { total: 0 } });
  });

  it('need a list of files', async () => {
    const path = `/vector_stores/${await createStore()}/${word}`;
    expect(await requestRefusal(call, path, {})).toEqual([400, 'file_ids']);
  });

  it('cannot be retrieved by an unknown id', async () => {
    const id = await createStore();
    expect((await call('GET', `/vector_stores/${id}/${word}/vsfb_none`)).status).toBe(404);
  });
});

it('the files of a store advance with the clock if states have a duration', async () => {
  await serveInstead({ stateDelay: 5 });
  const id = await createStore({ file_ids: [await uploadPlainFile(reference.url)] });
  expect(await readStore(id)).toMatchObject({ status: 'in_progress' });
  now += 5000;
  expect(pluck(await call('GET', `/vector_stores/${id}/files`), 'status')).toEqual(['completed']);
  expect(await readStore(id)).toMatchObject({ status: 'completed' });
});

it('a file whose first state is its last is processed at once, even if states have a duration', async () => {
  const choices = new Map([['vector-store-files.states.first', 'completed']]);
  await serveInstead({ stateDelay: 5, choices });
  const path = `/vector_stores/${await createStore()}/files`;
  const file_id = await uploadPlainFile(reference.url);
  expect((await call('POST', path, { file_id })).json).toMatchObject({ status: 'completed' });
});

async function createBatch(file_ids: readonly string[], store: object = {}) {
  const path = `/vector_stores/${await createStore(store)}/file_batches`;
  const { json } = await call('POST', path, { file_ids });
  return { json, path: `${path}/${idOfObject(json)}` };
}

it('a batch counts no repetitions of files that it leaves out', async () => {
  const choices = new Map([
    ['vector-store-file-batches.files.in-store-before', 'left out'],
    ['vector-store-file-batches.create.same-file-twice', 'twice'],
  ]);
  await serveInstead({ choices });
  const [present, added] = [await uploadPlainFile(reference.url), await uploadPlainFile(reference.url)];
  const { json } = await createBatch([present, present, added, added], { file_ids: [present] });
  expect(json['file_counts']).toMatchObject({ in_progress: 2, total: 2 });
});

async function cancelBatch(choice: string, alternative: string) {
  const choices = new Map([[`vector-store-file-batches.cancel.${choice}`, alternative]]);
  await serveInstead({ stateDelay: 5, choices });
  const { path } = await createBatch([await uploadPlainFile(reference.url)]);
  const { status } = await call('POST', `${path}/cancel`);
  return { status, batch: (await call('GET', path)).json };
}

it('a cancellation that is always too late ends the batch at once, even if states have a duration', async () => {
  expect(await cancelBatch('in-time', 'too late')).toMatchObject({
    status: 409,
    batch: { status: 'completed', file_counts: { completed: 1 } },
  });
});

it('a batch that is cancelled at once has no files in progress, even if states have a duration', async () => {
  expect(await cancelBatch('answer', 'cancelled')).toMatchObject({
    status: 200,
    batch: { status: 'cancelled', file_counts: { cancelled: 1, in_progress: 0 } },
  });
});
