import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { inSeconds } from '../times.requirements.ts';

const vectorStoresObjectTellsBytes = requirementFromRow('vector-stores.object.tells-bytes');
const vectorStoresObjectTellsLastActivity = requirementFromRow('vector-stores.object.tells-last-activity');
const vectorStoresFilesAreListed = requirementFromRow('vector-stores.create.files-are-listed');
const vectorStoresExpiredAtSet = requirementFromRow('vector-stores.expired.expires-at-set');
const vectorStoresCountsAsListed = requirementFromRow('vector-stores.counts.as-listed');

const storeRequest = { path: { vector_store_id: 'vs_1' } };
const fileRequest = { path: { vector_store_id: 'vs_1', file_id: 'file-1' } };
const countsOf = (completed: number, total = completed): Json => ({
  in_progress: 0,
  completed,
  failed: 0,
  cancelled: 0,
  total,
});
const completedStore = (file_counts: Json): Json => ({ id: 'vs_1', status: 'completed', file_counts });
const page = (...ids: readonly string[]): { readonly json: Json } => ({
  json: { data: ids.map((id) => ({ id, status: 'completed' })), has_more: false },
});

function createStore(): TraceBuilder {
  const trace = new TraceBuilder();
  trace.add('createVectorStore', { body: { file_ids: ['file-1', 'file-2'] } }, { json: { id: 'vs_1' } });
  return trace;
}

test('a store that is still in progress may list its files later', () => {
  const trace = createStore();
  trace.add('retrieveVectorStore', storeRequest, { json: { id: 'vs_1', status: 'in_progress' } });
  trace.add('listVectorStoreFiles', storeRequest, page('file-1'));
  expect(judgeRequirement(vectorStoresFilesAreListed, trace.exchanges)).toEqual({
    observations: 0,
    violations: [],
  });
});

test('a completed store must list each of its files, except a deleted one', () => {
  const trace = createStore();
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(2)) });
  trace.add('listVectorStoreFiles', storeRequest, page('file-1'));
  expect(judgeRequirement(vectorStoresFilesAreListed, trace.exchanges).violations).toMatchObject([
    { expected: 'an element with id file-2', actual: undefined },
  ]);
  // A deletion that overlaps the list may have come first.
  trace.add('deleteFile', { path: { file_id: 'file-2' }, after: 1 }, { json: { deleted: true } });
  expect(judgeRequirement(vectorStoresFilesAreListed, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
});

test.each([
  ['a page before further ones', { limit: '1' }, true],
  ['a page behind a cursor', { after: 'file-2' }, false],
  ['a list of the files in one state', { filter: 'failed' }, false],
])('%s is not a complete list', (_, query, hasMore) => {
  const trace = createStore();
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(2)) });
  trace.add('listVectorStoreFiles', { ...storeRequest, query }, { json: { data: [], has_more: hasMore } });
  expect(judgeRequirement(vectorStoresFilesAreListed, trace.exchanges).observations).toBe(0);
});

test('counts are compared with a list only between two responses that agree', () => {
  const trace = createStore();
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(1)) });
  trace.add('listVectorStoreFiles', storeRequest, page('file-1', 'file-2'));
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(2)) });
  expect(judgeRequirement(vectorStoresCountsAsListed, trace.exchanges).observations).toBe(0);
  trace.add('listVectorStoreFiles', storeRequest, page('file-1', 'file-2'));
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(2)) });
  expect(judgeRequirement(vectorStoresCountsAsListed, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
});

test('counts that differ from the list are violations, each by itself', () => {
  const trace = createStore();
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(1, 3)) });
  trace.add('listVectorStoreFiles', storeRequest, page('file-1', 'file-2'));
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(1, 3)) });
  expect(judgeRequirement(vectorStoresCountsAsListed, trace.exchanges).violations).toMatchObject([
    { at: '/file_counts/total', expected: '2, as its files are listed', actual: 3 },
    { at: '/file_counts/completed', expected: '2, as its files are listed', actual: 1 },
  ]);
});

test.each([
  ['is removed', 'deleteVectorStoreFile', fileRequest],
  ['is attached', 'createVectorStoreFile', storeRequest],
])('a file that %s between the two retrievals may or may not be counted', (_, operation, request) => {
  const trace = createStore();
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(2)) });
  trace.add('listVectorStoreFiles', storeRequest, page('file-1'));
  trace.add(operation, request, { json: { deleted: true } });
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(2)) });
  expect(judgeRequirement(vectorStoresCountsAsListed, trace.exchanges).observations).toBe(0);
});

test('a deleted file that the list lacks may still be counted', () => {
  const trace = createStore();
  trace.add('deleteFile', { path: { file_id: 'file-2' } }, { json: { deleted: true } });
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(2)) });
  trace.add('listVectorStoreFiles', storeRequest, page('file-1'));
  trace.add('retrieveVectorStore', storeRequest, { json: completedStore(countsOf(2)) });
  expect(judgeRequirement(vectorStoresCountsAsListed, trace.exchanges).observations).toBe(0);
});

test.each([
  ['usage_bytes', 0],
  ['bytes', 0],
  ['size', 1],
])('a store that shows its size as %s gives %i violations', (name, violationCount) => {
  const trace = new TraceBuilder();
  trace.add('retrieveVectorStore', storeRequest, { json: { id: 'vs_1', [name]: 1 } });
  const { violations } = judgeRequirement(vectorStoresObjectTellsBytes, trace.exchanges);
  expect(violations).toHaveLength(violationCount);
});

test.each([
  ['last_active_at', 0],
  ['last_used_at', 0],
  ['used_at', 1],
])('a store that shows its last use as %s gives %i violations', (name, violationCount) => {
  const trace = new TraceBuilder();
  trace.add('retrieveVectorStore', storeRequest, { json: { id: 'vs_1', [name]: null } });
  const { violations } = judgeRequirement(vectorStoresObjectTellsLastActivity, trace.exchanges);
  expect(violations).toHaveLength(violationCount);
});

test('a store that shows its last use as last_used_at in milliseconds gives a violation', () => {
  const trace = new TraceBuilder();
  trace.add('retrieveVectorStore', storeRequest, { json: { id: 'vs_1', last_used_at: 1_700_000_000_000 } });
  const rule = inSeconds.find(({ id }) => id === 'vector-stores.times.in-seconds');
  expect(rule && judgeRequirement(rule, trace.exchanges).violations).toMatchObject([{ at: '/last_used_at' }]);
});

test('only an expired store has to say when it expired', () => {
  const trace = new TraceBuilder();
  trace.add('retrieveVectorStore', storeRequest, { json: { status: 'completed', expires_at: null } });
  expect(judgeRequirement(vectorStoresExpiredAtSet, trace.exchanges).observations).toBe(0);
  trace.add('retrieveVectorStore', storeRequest, { json: { status: 'expired', expires_at: 1_700_000_000 } });
  expect(judgeRequirement(vectorStoresExpiredAtSet, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
  trace.add('retrieveVectorStore', storeRequest, { json: { status: 'expired', expires_at: null } });
  expect(judgeRequirement(vectorStoresExpiredAtSet, trace.exchanges)).toMatchObject({
    observations: 2,
    violations: [{ at: '/expires_at', actual: null }],
  });
});

test('each store of a list says how many bytes its files take', () => {
  const trace = new TraceBuilder();
  const stores = [{ id: 'vs_1', usage_bytes: 1 }, { id: 'vs_2', bytes: 1 }, { id: 'vs_3' }];
  trace.add('listVectorStores', {}, { json: { object: 'list', data: stores } });
  trace.add('listVectorStores', {}, { json: { object: 'list', data: [] } });
  expect(judgeRequirement(vectorStoresObjectTellsBytes, trace.exchanges)).toMatchObject({
    observations: 1,
    violations: [{ at: '/data/2/usage_bytes' }],
  });
});
