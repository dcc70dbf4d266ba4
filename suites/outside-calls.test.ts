// Calls outside the specification may change the objects that they name; the state of other objects stays certain.
import { expect, test } from 'vitest';
import type { Json } from '../exchange/http/body.ts';
import {
  brokenIds,
  judgeServiceTraffic,
  readShippedDialect,
  type Sketch,
} from './testing/service-traffic.ts';

const openai = readShippedDialect('openai');
const beta = 'v2';

const message = (id: string, more: object = {}): Json => ({
  id,
  object: 'thread.message',
  created_at: 1_700_000_001,
  assistant_id: null,
  thread_id: 'thread_a',
  run_id: null,
  role: 'user',
  content: [{ type: 'text', text: { value: id, annotations: [] } }],
  attachments: [],
  metadata: {},
  ...more,
});
const thread: Sketch = {
  call: 'POST /v1/threads',
  beta,
  sent: {},
  answer: { id: 'thread_a', object: 'thread', created_at: 1_700_000_000, metadata: {}, tool_resources: {} },
};
const postMessage = (id: string): Sketch => ({
  call: 'POST /v1/threads/thread_a/messages',
  beta,
  sent: { role: 'user', content: id },
  answer: message(id),
});
const listMessages = (...ids: readonly string[]): Sketch => ({
  call: 'GET /v1/threads/thread_a/messages?order=asc',
  beta,
  answer: {
    object: 'list',
    data: ids.map((id) => message(id)),
    first_id: ids.at(0) ?? null,
    last_id: ids.at(-1) ?? null,
    has_more: false,
  },
});
const removal: Sketch = {
  call: 'DELETE /v1/threads/thread_a/messages/msg_1',
  beta,
  answer: { id: 'msg_1', object: 'thread.message.deleted', deleted: true },
};
const BROKEN_BY_MISSING_MESSAGE = ['listMessages.page.closure'];
const listBroken = async (...sketches: readonly Sketch[]) =>
  brokenIds(await judgeServiceTraffic(sketches, openai));

test('a removed message is not expected in the list, and another one is', async () => {
  const threeMessages = [thread, postMessage('msg_1'), postMessage('msg_2'), postMessage('msg_3')];
  expect(await listBroken(...threeMessages, removal, listMessages('msg_2', 'msg_3'))).toEqual([]);
  expect(await listBroken(...threeMessages, listMessages('msg_2', 'msg_3'))).toEqual(
    BROKEN_BY_MISSING_MESSAGE,
  );
  expect(await listBroken(...threeMessages, removal, listMessages('msg_2'))).toEqual(
    BROKEN_BY_MISSING_MESSAGE,
  );
});

const creations = [thread, postMessage('msg_1'), postMessage('msg_2')];

test('a removal that was refused removes nothing', async () => {
  const refused = { ...removal, status: 404, answer: { error: { message: 'none' } } };
  expect(await listBroken(...creations, refused, listMessages('msg_2'))).toEqual(BROKEN_BY_MISSING_MESSAGE);
});

test('a removal after a list does not explain a message that the list lacks', async () => {
  expect(await listBroken(...creations, listMessages('msg_2'), removal)).toEqual(BROKEN_BY_MISSING_MESSAGE);
});

test('a removal in flight explains a list that began before it', async () => {
  const early = { ...removal, after: 3 };
  expect(await listBroken(...creations, listMessages('msg_2'), early)).toEqual([]);
});

test('a removed message of a new thread is not expected', async () => {
  const threadWithMessage = { ...thread, sent: { messages: [{ role: 'user', content: 'msg_1' }] } };
  expect(await listBroken(threadWithMessage, removal, listMessages())).toEqual([]);
  expect(await listBroken(threadWithMessage, listMessages())).toEqual(['threads.create.messages-listed']);
});

const messageWithKey = (value: string): Json => message('msg_1', { metadata: { key: value } });
const retrieveMessage = (answer: Json): Sketch => ({
  call: 'GET /v1/threads/thread_a/messages/msg_1',
  beta,
  answer,
});

test('an unknown action on a message makes its state unknown until a later response shows it', async () => {
  const action = { call: 'POST /v1/threads/thread_a/messages/msg_1/tag', beta, answer: {} } as const;
  const modify: Sketch = {
    call: 'POST /v1/threads/thread_a/messages/msg_1',
    beta,
    sent: { metadata: { key: 'a' } },
    answer: messageWithKey('a'),
  };
  const oneMessage = [thread, postMessage('msg_1')];
  expect(await listBroken(...oneMessage, action, retrieveMessage(messageWithKey('other')))).toEqual([]);
  expect(await listBroken(...oneMessage, retrieveMessage(messageWithKey('other')))).toEqual([
    'messages.retrieve.as-created',
  ]);
  expect(await listBroken(...oneMessage, action, modify, retrieveMessage(messageWithKey('other')))).toEqual([
    'messages.retrieve.as-modified',
  ]);
});

const store = (more: object = {}): Json => ({
  id: 'vs_a',
  object: 'vector_store',
  created_at: 1_700_000_000,
  name: 'a',
  usage_bytes: 0,
  file_counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
  status: 'completed',
  expires_after: null,
  expires_at: null,
  last_active_at: 1_700_000_000,
  metadata: {},
  ...more,
});
const newStore: Sketch = { call: 'POST /v1/vector_stores', beta, sent: { name: 'a' }, answer: store() };
const retrieveStore = (answer: Json): Sketch => ({ call: 'GET /v1/vector_stores/vs_a', beta, answer });
const search: Sketch = {
  call: 'POST /v1/vector_stores/vs_a/search',
  beta,
  sent: { query: 'a' },
  answer: { object: 'vector_store.search_results.page', data: [], has_more: false, next_page: null },
};

test('a search makes the state of its store unknown, and of no other', async () => {
  expect(await listBroken(newStore, search, retrieveStore(store({ name: 'b' })))).toEqual([]);
  const other = { ...search, call: 'POST /v1/vector_stores/vs_b/search' };
  expect(await listBroken(newStore, other, retrieveStore(store({ name: 'b' })))).toEqual([
    'vector-stores.retrieve.as-created',
  ]);
});

test('an object may be gone after an unknown call that named it', async () => {
  const found = [newStore, retrieveStore(store())];
  const missing = { ...retrieveStore({ error: { message: 'gone' } }), status: 404 };
  expect(await listBroken(...found, search, missing)).toEqual([]);
  expect(await listBroken(...found, missing)).toEqual(['retrieveVectorStore:accepts']);
});

test('a file of an upload in parts is known only once a specified call shows it', async () => {
  const file = {
    id: 'file-1',
    object: 'file',
    bytes: 3,
    created_at: 1_700_000_000,
    filename: 'a.jsonl',
    purpose: 'batch',
    status: 'processed',
    status_details: null,
  };
  const upload = { id: 'upload_a', object: 'upload', status: 'completed', file };
  const fileList = (...data: readonly Json[]): Sketch => ({
    call: 'GET /v1/files',
    answer: { object: 'list', data, has_more: false },
  });
  const earlier: Sketch[] = [
    { call: 'POST /v1/uploads', sent: { purpose: 'batch' }, answer: { id: 'upload_a' } },
    { call: 'POST /v1/uploads/upload_a/parts', answer: { id: 'part_a' } },
    { call: 'POST /v1/uploads/upload_a/complete', sent: { part_ids: ['part_a'] }, answer: upload },
  ];
  expect(await listBroken(...earlier, fileList())).toEqual([]);
  const retrieval: Sketch = { call: 'GET /v1/files/file-1', answer: file };
  expect(await listBroken(...earlier, retrieval, fileList(file))).toEqual([]);
  expect(await listBroken(...earlier, retrieval, fileList())).toEqual(['files.list.tells-retrieved']);
});
