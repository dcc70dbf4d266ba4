import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('threads begin with the messages of their creation, in order', async () => {
  const file = await uploadPlainFile(reference.url);
  const messages = [
    { role: 'user', content: 'One', file_ids: [file], metadata: { a: 'b' } },
    { role: 'assistant', content: 'Two' },
  ];
  const id = await createThread({ messages });
  const list = await v1('GET', `/threads/${id}/messages?order=asc`);
  expect(pluck(list, 'role')).toEqual(['user', 'assistant']);
  expect(pluck(list, 'file_ids')).toEqual([[file], []]);
  expect(pluck(list, 'metadata')).toEqual([{ a: 'b' }, {}]);
  expect(pluck(list, 'run_id')).toEqual([null, null]);
});

it('threads are rejected if one of their messages is invalid', async () => {
  const messages = [{ role: 'user', content: 'One', file_ids: ['file-none'] }];
  expect(await requestRefusal(v2, '/threads', { messages })).toEqual([400, 'messages[0].file_ids[0]']);
  const assistant_id = idOfObject((await v2('POST', '/assistants', { model: 'chat-large' })).json);
  expect(await requestRefusal(v2, '/threads/runs', { assistant_id, thread: { messages } })).toEqual([
    400,
    'thread.messages[0].file_ids[0]',
  ]);
  expect(await requestRefusal(v2, '/threads', { messages: [{ role: 'system', content: 'x' }] })).toEqual([
    400,
    'messages[0].role',
  ]);
  expect(await requestRefusal(v2, '/threads', { messages: [{ role: 'user', content: 7 }] })).toEqual([
    400,
    'messages[0].content',
  ]);
  expect(await requestRefusal(v2, '/threads', { messages: [7] })).toEqual([400, 'messages[0]']);
});

it('a thread, a run and an assistant that cannot be created leave no vector store behind', async () => {
  const withStores = (...vector_stores: readonly object[]) => ({
    tool_resources: { file_search: { vector_stores } },
  });
  const assistant_id = idOfObject((await v2('POST', '/assistants', { model: 'chat-large' })).json);
  const thread = { ...withStores({}), messages: [7] };
  const rejected: readonly [string, object][] = [
    ['/threads', thread],
    ['/threads/runs', { assistant_id, thread }],
    ['/threads/runs', { assistant_id, thread: withStores({}), tool_choice: 'required' }],
    ['/threads/runs', { assistant_id, ...withStores({}), truncation_strategy: { type: 'last_messages' } }],
    ['/assistants', { model: 'chat-large', ...withStores({}, { file_ids: ['file-none'] }) }],
  ];
  for (const [path, body] of rejected) expect((await requestRefusal(v2, path, body))[0], path).toBe(400);
  expect(pluck(await v2('GET', '/vector_stores'), 'id')).toEqual([]);
  await createThread(withStores({}));
  expect(pluck(await v2('GET', '/vector_stores'), 'id')).toHaveLength(1);
});

it('threads are deleted together with their messages', async () => {
  const id = await createThread({ messages: [{ role: 'user', content: 'One' }] });
  const [message] = pluck(await v2('GET', `/threads/${id}/messages`), 'id');
  expect((await v2('DELETE', `/threads/${id}`)).json).toEqual({
    id,
    object: 'thread.deleted',
    deleted: true,
  });
  expect((await v2('GET', `/threads/${id}/messages/${message}`)).status).toBe(404);
  expect((await v2('GET', `/threads/${id}`)).status).toBe(404);
});

it('a thread keeps tool resources with a file that exists', async () => {
  const file = await uploadPlainFile(reference.url);
  const tool_resources = { code_interpreter: { file_ids: [file] } };
  const id = await createThread({ tool_resources });
  expect((await v2('GET', `/threads/${id}`)).json).toMatchObject({ tool_resources });
});

it('a thread ignores unknown members of the vector stores that its tool resources create', async () => {
  const tool_resources = { file_search: { vector_stores: [{ expires_after: null }] } };
  expect((await v2('POST', '/threads', { tool_resources })).status).toBe(200);
});

it('a thread adds an attachment to the first of its vector stores that exists', async () => {
  const createStore = async () => idOfObject((await v2('POST', '/vector_stores', {})).json);
  const [deleted, store] = [await createStore(), await createStore()];
  const tool_resources = { file_search: { vector_store_ids: [deleted, store] } };
  const thread = idOfObject((await v2('POST', '/threads', { tool_resources })).json);
  await v2('DELETE', `/vector_stores/${deleted}`);
  const file_id = await uploadPlainFile(reference.url);
  const attachments = [{ file_id, tools: [{ type: 'file_search' }] }];
  await v2('POST', `/threads/${thread}/messages`, { role: 'user', content: 'Hi', attachments });
  expect((await v2('GET', `/threads/${thread}`)).json).toMatchObject({ tool_resources });
  expect(pluck(await v2('GET', `/vector_stores/${store}/files`), 'id')).toEqual([file_id]);
});
