import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namedSelection } from '../choices/selection.ts';
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

const model = 'chat-large';
const createAssistant = async (fields: object = {}) =>
  idOfObject((await v2('POST', '/assistants', { model, ...fields })).json);

describe('the two forms of an assistant', () => {
  it('show the same assistant in their own form', async () => {
    const id = await createAssistant({ tools: [{ type: 'file_search' }], instructions: 'Help.' });
    const old = (await v1('GET', `/assistants/${id}`)).json;
    expect(old).toMatchObject({ tools: [{ type: 'retrieval' }], file_ids: [], instructions: 'Help.' });
    expect(old).not.toHaveProperty('tool_resources');
    const beta = (await v2('GET', `/assistants/${id}`)).json;
    expect(beta).toMatchObject({ tools: [{ type: 'file_search' }], tool_resources: {} });
    expect(beta).not.toHaveProperty('file_ids');
  });

  it('accept only their own tools', async () => {
    for (const [call, type] of [
      [v1, 'retrieval'],
      [v2, 'file_search'],
    ] as const)
      expect((await call('POST', '/assistants', { model, tools: [{ type }] })).status).toBe(200);
    expect(await requestRefusal(v1, '/assistants', { model, tools: [{ type: 'file_search' }] })).toEqual([
      400,
      'tools[0].type',
    ]);
    expect(await requestRefusal(v2, '/assistants', { model, tools: [{ type: 'retrieval' }] })).toEqual([
      400,
      'tools[0].type',
    ]);
  });
});

it('vector stores in the tool resources of a new v2 assistant are created along with it', async () => {
  const file = await uploadPlainFile(reference.url);
  const vector_stores = [{ file_ids: [file], metadata: { a: 'b' } }];
  const id = await createAssistant({ tool_resources: { file_search: { vector_stores } } });
  const { json } = await v2('GET', `/assistants/${id}`);
  const [store] = JSON.parse(JSON.stringify(json['tool_resources'])).file_search.vector_store_ids;
  expect((await v2('GET', `/vector_stores/${store}`)).json).toMatchObject({
    metadata: { a: 'b' },
    file_counts: { total: 1 },
  });
});

it('an unknown file of a vector store to be created is named by its path in the request', async () => {
  const body = {
    model,
    tool_resources: { file_search: { vector_stores: [{}, { file_ids: ['file-none'] }] } },
  };
  const param = 'tool_resources.file_search.vector_stores[1].file_ids[0]';
  expect(await requestRefusal(v2, '/assistants', body)).toEqual([400, param]);
});

describe('changing an assistant', () => {
  it('keeps omitted fields, and resets a field that is null to its default', async () => {
    const id = await createAssistant({
      name: 'n',
      temperature: 0,
      response_format: { type: 'json_object' },
      metadata: { a: 'b' },
    });
    expect((await v2('POST', `/assistants/${id}`, {})).json).toMatchObject({
      name: 'n',
      temperature: 0,
      metadata: { a: 'b' },
    });
    const changed = await v2('POST', `/assistants/${id}`, { name: null, temperature: null });
    expect(changed.json).toMatchObject({
      name: null,
      temperature: 1,
      response_format: { type: 'json_object' },
    });
    expect((await v2('GET', `/assistants/${id}`)).json).toEqual(changed.json);
  });

  it('changes nothing if one field is rejected', async () => {
    const id = await createAssistant({ name: 'n' });
    const before = (await v2('GET', `/assistants/${id}`)).json;
    const body = { name: 'm', tool_resources: { file_search: { vector_store_ids: ['vs_none'] } } };
    const param = 'tool_resources.file_search.vector_store_ids[0]';
    expect(await requestRefusal(v2, `/assistants/${id}`, body)).toEqual([400, param]);
    expect((await v2('GET', `/assistants/${id}`)).json).toEqual(before);
  });

  it('does not need its model to exist, unless the model is changed', async () => {
    const choices = namedSelection([['assistants.model.unknown', 'answered']]);
    const lenient = await serveReference({ choices });
    try {
      const call = createPlainClient(lenient.url);
      const id = idOfObject((await call('POST', '/assistants', { model: 'gone' })).json);
      const changed = await call('POST', `/assistants/${id}`, { name: 'n' });
      expect(changed).toMatchObject({ status: 200, json: { name: 'n', model: 'gone' } });
      expect(await requestRefusal(call, `/assistants/${id}`, { model: 'other' })).toEqual([404, 'model']);
    } finally {
      await lenient.close();
    }
  });
});

const metadataOfSize = (length: number) => Object.fromEntries(Array.from({ length }, (_, n) => [`${n}`, '']));

describe('limits', () => {
  it.each([
    ['name', 'x'.repeat(256), 'x'.repeat(257)],
    ['description', 'x'.repeat(512), 'x'.repeat(513)],
    ['instructions', 'x'.repeat(256_000), 'x'.repeat(256_001)],
    ['tools', Array(128).fill({ type: 'code_interpreter' }), Array(129).fill({ type: 'code_interpreter' })],
    ['temperature', 2, 2.1],
    ['metadata', metadataOfSize(16), metadataOfSize(17)],
    ['metadata', { ['k'.repeat(64)]: '' }, { ['k'.repeat(65)]: '' }],
    ['metadata', { k: 'v'.repeat(512) }, { k: 'v'.repeat(513) }],
  ])('hold for %s', async (field, good, bad) => {
    for (const call of [v1, v2]) {
      expect((await call('POST', '/assistants', { model, [field]: good })).status).toBe(200);
      const [status, param] = await requestRefusal(call, '/assistants', { model, [field]: bad });
      expect([status, String(param).split('.')[0]]).toEqual([400, field]);
    }
  });

  it('hold for files, but a file that is attached already can be attached again', async () => {
    const ids = await Promise.all(Array.from({ length: 21 }, () => uploadPlainFile(reference.url)));
    const id = idOfObject((await v1('POST', '/assistants', { model, file_ids: ids.slice(0, 20) })).json);
    expect(await requestRefusal(v1, '/assistants', { model, file_ids: ids })).toEqual([400, 'file_ids']);
    expect(await requestRefusal(v1, `/assistants/${id}/files`, { file_id: ids[20] })).toEqual([
      400,
      'file_id',
    ]);
    expect((await v1('POST', `/assistants/${id}/files`, { file_id: ids[0] })).status).toBe(200);
  });
});

it('the files of an assistant are paged in the order of `file_ids`', async () => {
  const file_ids = await Promise.all(Array.from({ length: 5 }, () => uploadPlainFile(reference.url)));
  const { json } = await v1('POST', '/assistants', { model, file_ids });
  const ids = JSON.parse(JSON.stringify(json['file_ids']));
  const page = await v1('GET', `/assistants/${json['id']}/files?limit=3&order=asc&after=${ids[0]}`);
  expect(pluck(page, 'id')).toEqual(ids.slice(1, 4));
});

it('a file to attach must be named, must exist and must have the purpose assistants', async () => {
  const id = await createAssistant();
  const vision = await uploadPlainFile(reference.url, 'a.txt', 'a', 'vision');
  expect(await requestRefusal(v1, `/assistants/${id}/files`, { file_id: vision })).toEqual([400, 'file_id']);
  expect(await requestRefusal(v1, `/assistants/${id}/files`, { file_id: 'file-none' })).toEqual([
    400,
    'file_id',
  ]);
  expect(await requestRefusal(v1, `/assistants/${id}/files`, {})).toEqual([400, 'file_id']);
  expect(await requestRefusal(v1, '/assistants', { model, file_ids: [vision] })).toEqual([
    400,
    'file_ids[0]',
  ]);
});

it('a file with another purpose is named by its position even if unknown files are accepted', async () => {
  const choices = namedSelection([['assistants.create.unknown-file', 'created']]);
  const lenient = await serveReference({ choices });
  try {
    const vision = await uploadPlainFile(lenient.url, 'a.txt', 'a', 'vision');
    const call = createPlainClient(lenient.url, 'v1');
    const refusal = await requestRefusal(call, '/assistants', { model, file_ids: ['file-none', vision] });
    expect(refusal).toEqual([400, 'file_ids[1]']);
  } finally {
    await lenient.close();
  }
});

it('an assistant needs a model', async () => {
  expect(await requestRefusal(v1, '/assistants', { file_ids: [] })).toEqual([400, 'model']);
});

it('a deleted assistant is no longer found or listed', async () => {
  const id = await createAssistant();
  expect((await v2('DELETE', `/assistants/${id}`)).json).toEqual({
    id,
    object: 'assistant.deleted',
    deleted: true,
  });
  expect((await v2('DELETE', `/assistants/${id}`)).status).toBe(404);
  expect((await v2('POST', `/assistants/${id}`, {})).status).toBe(404);
  expect((await v1('GET', `/assistants/${id}/files`)).status).toBe(404);
  expect(pluck(await v2('GET', '/assistants?limit=100'), 'id')).not.toContain(id);
});
