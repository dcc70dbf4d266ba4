import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
let v1: PlainCall;
let v2: PlainCall;

beforeAll(async () => {
  reference = await serveReference();
  v1 = createPlainClient(reference.url, 'v1');
  v2 = createPlainClient(reference.url, 'v2');
});

afterAll(async () => reference.close());

const createThread = async (fields: object = {}) => idOfObject((await v2('POST', '/threads', fields)).json);

describe('messages', () => {
  it('are complete, and belong to no run, as soon as a caller has created them', async () => {
    const id = await createThread();
    for (const role of ['user', 'assistant']) {
      const { json } = await v1('POST', `/threads/${id}/messages`, { role, content: 'Hi' });
      expect(json).toMatchObject({
        role,
        status: 'completed',
        run_id: null,
        assistant_id: null,
        file_ids: [],
      });
      expect(json['completed_at']).toBeTypeOf('number');
    }
  });

  it('are listed by cursor in both directions', async () => {
    const id = await createThread();
    const created = [];
    for (const content of ['a', 'b', 'c', 'd', 'e']) {
      created.push(idOfObject((await v1('POST', `/threads/${id}/messages`, { role: 'user', content })).json));
    }
    const listIds = async (query: string) => pluck(await v1('GET', `/threads/${id}/messages?${query}`), 'id');
    expect(await listIds('')).toEqual(created.toReversed());
    expect(await listIds(`order=asc&limit=2&after=${created[1]}`)).toEqual(created.slice(2, 4));
    expect(await listIds(`limit=2&before=${created[1]}`)).toEqual([created[3], created[2]]);
    expect((await v1('GET', `/threads/${id}/messages?limit=2`)).json).toMatchObject({
      first_id: created[4],
      last_id: created[3],
      has_more: true,
    });
  });

  it.each(['limit=0', 'limit=101', 'order=up', 'after=msg_none'])('are not listed for ?%s', async (query) => {
    const id = await createThread();
    expect((await v1('GET', `/threads/${id}/messages?${query}`)).status).toBe(400);
  });

  it('change only in their metadata, which is validated', async () => {
    const id = await createThread();
    const { json } = await v1('POST', `/threads/${id}/messages`, { role: 'user', content: 'Hi' });
    const path = `/threads/${id}/messages/${json['id']}`;
    const changed = await v1('POST', path, { metadata: { a: 'b' }, content: 'Ho' });
    expect(changed.json).toEqual({ ...json, metadata: { a: 'b' } });
    expect(await requestRefusal(v1, path, { metadata: { a: 1 } })).toEqual([400, 'metadata.a']);
    expect((await v1('POST', path, {})).json).toEqual(changed.json);
  });

  it('carry at most ten files, which can be listed and retrieved', async () => {
    const id = await createThread();
    const ids = await Promise.all(Array.from({ length: 11 }, () => uploadPlainFile(reference.url)));
    const body = { role: 'user', content: 'Hi', file_ids: ids };
    expect(await requestRefusal(v1, `/threads/${id}/messages`, body)).toEqual([400, 'file_ids']);
    const { json } = await v1('POST', `/threads/${id}/messages`, { ...body, file_ids: ids.slice(0, 10) });
    const files = `/threads/${id}/messages/${json['id']}/files`;
    expect(pluck(await v1('GET', `${files}?order=asc&limit=3&after=${ids[2]}`), 'id')).toEqual(
      ids.slice(3, 6),
    );
    const uploaded = await v1('GET', `/files/${ids[4]}`);
    const file = {
      id: ids[4],
      object: 'thread.message.file',
      created_at: uploaded.json['created_at'],
      message_id: json['id'],
    };
    expect((await v1('GET', `${files}/${ids[4]}`)).json).toEqual(file);
    expect((await v1('GET', `${files}/${ids[10]}`)).status).toBe(404);
  });

  it('accept content in parts, and return texts as objects', async () => {
    const path = `/threads/${await createThread()}/messages`;
    const image = await uploadPlainFile(reference.url, 'a.png', 'x', 'vision');
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image_file', image_file: { file_id: image } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ];
    const { json } = await v2('POST', path, { role: 'user', content });
    expect(json['content']).toEqual([
      { type: 'text', text: { value: 'Look', annotations: [] } },
      ...content.slice(1),
    ]);
  });

  it('with invalid parts or attachments are rejected', async () => {
    const path = `/threads/${await createThread()}/messages`;
    expect(await requestRefusal(v2, path, { role: 'user', content: [] })).toEqual([400, 'content']);
    expect(await requestRefusal(v2, path, { role: 'user', content: [{ type: 'text' }] })).toEqual([
      400,
      'content[0]',
    ]);
    const attachments = [{ file_id: 'file-none', tools: [] }];
    expect(await requestRefusal(v2, path, { role: 'user', content: 'x', attachments })).toEqual([
      400,
      'attachments[0].file_id',
    ]);
    expect(await requestRefusal(v2, path, { role: 'user', content: 'x', attachments: 7 })).toEqual([
      400,
      'attachments',
    ]);
    expect(await requestRefusal(v2, path, { role: 'user', content: 'x', attachments: [null] })).toEqual([
      400,
      'attachments[0]',
    ]);
  });
});
