import OpenAI, { toFile } from 'openai';
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

const createAssistant = () => client.beta.assistants.create({ model: 'chat-large' });
const uploadFile = async (name = 'notes.txt', text = 'Some notes.') =>
  client.files.create({ file: await toFile(Buffer.from(text), name), purpose: 'assistants' });

describe('assistants', () => {
  it('are created, read, changed and deleted', async () => {
    const file = await uploadFile();
    const created = await client.beta.assistants.create({
      model: 'chat-large',
      name: 'Tester',
      tools: [{ type: 'code_interpreter' }],
      tool_resources: { code_interpreter: { file_ids: [file.id] } },
      metadata: { team: 'a' },
    });
    expect(await client.beta.assistants.retrieve(created.id)).toEqual(created);
    expect(created.tool_resources).toEqual({ code_interpreter: { file_ids: [file.id] } });
    const changed = await client.beta.assistants.update(created.id, { name: null, temperature: 0.5 });
    expect(changed).toMatchObject({
      name: null,
      temperature: 0.5,
      metadata: { team: 'a' },
      tools: created.tools,
    });
    expect(await client.beta.assistants.del(created.id)).toMatchObject({ id: created.id, deleted: true });
    await expect(client.beta.assistants.retrieve(created.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it('are listed page by page, all of them once', async () => {
    const created = [];
    for (let n = 0; n < 5; n += 1) created.push((await createAssistant()).id);
    const listed: string[] = [];
    for await (const { id } of client.beta.assistants.list({ limit: 2, order: 'asc' })) listed.push(id);
    expect(listed.slice(-5)).toEqual(created);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

describe('threads and messages', () => {
  it('are created, read, changed and deleted', async () => {
    const { threads } = client.beta;
    const thread = await threads.create({ metadata: { a: 'b' } });
    expect(await threads.retrieve(thread.id)).toEqual(thread);
    expect((await threads.update(thread.id, { metadata: { c: 'd' } })).metadata).toEqual({ c: 'd' });
    const file = await uploadFile();
    const message = await threads.messages.create(thread.id, {
      role: 'user',
      content: [{ type: 'text', text: 'Look at this' }],
      attachments: [{ file_id: file.id, tools: [{ type: 'file_search' }, { type: 'code_interpreter' }] }],
    });
    expect(message.content).toEqual([{ type: 'text', text: { value: 'Look at this', annotations: [] } }]);
    expect((await threads.retrieve(thread.id)).tool_resources).toMatchObject({
      code_interpreter: { file_ids: [file.id] },
      file_search: { vector_store_ids: [expect.stringMatching(/^vs_/)] },
    });
    expect(await threads.messages.retrieve(thread.id, message.id)).toEqual(message);
    const changed = await threads.messages.update(thread.id, message.id, { metadata: { e: 'f' } });
    expect(changed).toEqual({ ...message, metadata: { e: 'f' } });
    expect((await threads.messages.list(thread.id)).data).toEqual([changed]);
    expect(await threads.messages.del(thread.id, message.id)).toMatchObject({ deleted: true });
    expect(await threads.del(thread.id)).toMatchObject({ deleted: true });
    await expect(threads.messages.list(thread.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

describe('vector stores', () => {
  it('are created, read, changed, listed and deleted', async () => {
    const { vectorStores } = client.beta;
    const store = await vectorStores.create({
      name: 'a',
      expires_after: { anchor: 'last_active_at', days: 2 },
    });
    expect(store.expires_at).toBe((store.last_active_at ?? 0) + 2 * 86_400);
    expect(await vectorStores.retrieve(store.id)).toEqual(store);
    expect((await vectorStores.update(store.id, { name: 'b' })).name).toBe('b');
    expect((await vectorStores.list()).data.map(({ id }) => id)).toContain(store.id);
    expect(await vectorStores.del(store.id)).toMatchObject({ deleted: true });
  });

  it('accept files one by one', async () => {
    const { vectorStores } = client.beta;
    const { id } = await vectorStores.create({});
    const file = await uploadFile();
    expect((await vectorStores.files.create(id, { file_id: file.id })).status).toBe('in_progress');
    expect((await vectorStores.files.list(id, { filter: 'in_progress' })).data).toHaveLength(1);
    expect((await vectorStores.files.poll(id, file.id)).status).toBe('completed');
    expect((await vectorStores.files.retrieve(id, file.id)).usage_bytes).toBe(file.bytes);
    const other = await uploadFile('empty.txt', '');
    expect((await vectorStores.files.createAndPoll(id, { file_id: other.id })).status).toBe('failed');
    await vectorStores.files.upload(id, await toFile(Buffer.from('a'), 'a.txt'));
    expect((await vectorStores.files.uploadAndPoll(id, await toFile(Buffer.from('b'), 'b.txt'))).status).toBe(
      'completed',
    );
    expect(await vectorStores.files.del(id, file.id)).toMatchObject({ deleted: true });
    expect((await client.files.retrieve(file.id)).id).toBe(file.id);
    expect((await vectorStores.retrieve(id)).file_counts).toMatchObject({
      completed: 2,
      failed: 1,
      total: 3,
    });
  });

  it('accept files in batches', async () => {
    const { vectorStores } = client.beta;
    const { id } = await vectorStores.create({});
    const ids = [(await uploadFile()).id, (await uploadFile()).id];
    const batch = await vectorStores.fileBatches.create(id, { file_ids: ids });
    expect(batch).toMatchObject({ status: 'in_progress', file_counts: { in_progress: 2, total: 2 } });
    expect((await vectorStores.fileBatches.cancel(id, batch.id)).status).toBe('cancelling');
    expect((await vectorStores.fileBatches.poll(id, batch.id)).status).toBe('cancelled');
    expect((await vectorStores.fileBatches.retrieve(id, batch.id)).file_counts).toMatchObject({
      cancelled: 2,
    });
    expect(
      (await vectorStores.fileBatches.listFiles(id, batch.id, { filter: 'cancelled' })).data,
    ).toHaveLength(2);
    const fresh = [(await uploadFile()).id];
    expect((await vectorStores.fileBatches.createAndPoll(id, { file_ids: fresh })).status).toBe('completed');
    const files = [await toFile(Buffer.from('a'), 'a.txt'), await toFile(Buffer.from('b'), 'b.txt')];
    const uploaded = await vectorStores.fileBatches.uploadAndPoll(id, { files });
    expect(uploaded.file_counts).toMatchObject({ completed: 2, total: 2 });
  });
});

describe('the whole session', () => {
  it('uses every method for these resources except runs, and every operation', async () => {
    await methods.settle();
    console.log(`openai@4.47.1, assistants, threads, vector stores\n${methods.formatTable()}`);
    const offered = ['beta.assistants', 'beta.threads', 'beta.vectorStores'].flatMap((name) =>
      methodsOf(client, name).filter((method) => !/runs|AndRun/.test(method)),
    );
    expect(offered.filter((method) => !methods.operationsByMethod.has(method))).toEqual([]);
    expect(
      methods.listUnused([
        'assistants-v2',
        'threads',
        'messages',
        'vector-stores',
        'vector-store-files',
        'vector-store-file-batches',
      ]),
    ).toEqual([]);
  });

  it('receives nothing that breaks a schema', () => {
    expect(methods.violations).toEqual([]);
  });
});
