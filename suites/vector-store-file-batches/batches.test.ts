import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement, takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { vectorStoreFileBatchesStatesNeverBack } from './batches.requirements.ts';
import { fileBatchesCountsAtFirst } from './choices.requirements.ts';

const vectorStoreFileBatchesCancelAccepted = requirementFromRow('vector-store-file-batches.cancel.accepted');
const vectorStoreFileBatchesCountsAsListed = requirementFromRow('vector-store-file-batches.counts.as-listed');
const vectorStoreFileBatchesFilesAllListed = requirementFromRow('vector-store-file-batches.files.all-listed');
const vectorStoreFileBatchesCancellingByCancel = requirementFromRow(
  'vector-store-file-batches.states.cancelling-by-cancel',
);
const vectorStoreFileBatchesFilesOwn = requirementFromRow('vector-store-file-batches.files.own');

const CREATE = 'createVectorStoreFileBatch';
const RETRIEVE = 'retrieveVectorStoreFileBatch';
const CANCEL = 'cancelVectorStoreFileBatch';
const LIST = 'listVectorStoreFileBatchFiles';
const batchRequest = { path: { vector_store_id: 'vs_1', batch_id: 'b_1' } };
const batch = (status: string): { readonly json: Json } => ({ json: { id: 'b_1', status } });
const page = (...ids: readonly string[]): { readonly json: Json } => ({
  json: { data: ids.map((id) => ({ id, status: 'completed' })), has_more: false },
});
const refused = { status: 400, json: {} };

function createBatchTrace(status = 'in_progress'): TraceBuilder {
  const trace = new TraceBuilder();
  const request = { path: { vector_store_id: 'vs_1' }, body: { file_ids: ['file-1'] } };
  trace.add(CREATE, request, batch(status));
  return trace;
}

test.each([
  ['in_progress', 0],
  ['completed', 1],
  ['cancelling', 1],
])('a batch that begins as %s gives %i violations', (status, violationCount) => {
  const rule = requirementFromRow('vector-store-file-batches.create.in-progress');
  const { observations, violations } = judgeRequirement(rule, createBatchTrace(status).exchanges);
  expect([observations, violations.length]).toEqual([1, violationCount]);
});

test('a refused cancellation is a fault only if the batch is in progress before and after', () => {
  const late = createBatchTrace();
  late.add(CANCEL, batchRequest, refused);
  late.add(RETRIEVE, batchRequest, batch('completed'));
  expect(judgeRequirement(vectorStoreFileBatchesCancelAccepted, late.exchanges).observations).toBe(0);
  const early = createBatchTrace('completed');
  early.add(CANCEL, batchRequest, refused);
  early.add(RETRIEVE, batchRequest, batch('in_progress'));
  expect(judgeRequirement(vectorStoreFileBatchesCancelAccepted, early.exchanges).observations).toBe(0);
  const wrong = createBatchTrace();
  wrong.add(CANCEL, batchRequest, refused);
  wrong.add(RETRIEVE, batchRequest, batch('in_progress'));
  expect(judgeRequirement(vectorStoreFileBatchesCancelAccepted, wrong.exchanges)).toMatchObject({
    observations: 1,
    violations: [{ actual: 400, exchange: 'e2' }],
  });
  const missing = createBatchTrace();
  missing.add(CANCEL, batchRequest, { status: 404, json: {} });
  missing.add(RETRIEVE, batchRequest, batch('in_progress'));
  expect(judgeRequirement(vectorStoreFileBatchesCancelAccepted, missing.exchanges).violations).toMatchObject([
    { actual: 404 },
  ]);
});

test('a call that overlaps a refused cancellation does not show whether it came too late', () => {
  const trace = createBatchTrace();
  trace.add(CANCEL, batchRequest, refused);
  trace.add(RETRIEVE, { ...batchRequest, after: 1 }, batch('in_progress'));
  expect(judgeRequirement(vectorStoreFileBatchesCancelAccepted, trace.exchanges).observations).toBe(0);
});

test.each([
  ['cancelling', 1, 0],
  ['cancelled', 1, 0],
  ['completed', 0, 0],
  ['in_progress', 1, 1],
])(
  'a cancellation with the response %s has %i observations and %i violations',
  (status, observations, violationCount) => {
    const trace = createBatchTrace();
    trace.add(CANCEL, batchRequest, batch(status));
    const result = judgeRequirement(
      requirementFromRow('vector-store-file-batches.cancel.leaves-in-progress'),
      trace.exchanges,
    );
    expect([result.observations, result.violations.length]).toEqual([observations, violationCount]);
  },
);

test('a batch never returns to in_progress, but an older response may arrive later', () => {
  const trace = createBatchTrace();
  trace.add(RETRIEVE, batchRequest, batch('completed'));
  trace.add(RETRIEVE, { ...batchRequest, after: 1 }, batch('in_progress'));
  expect(judgeRequirement(vectorStoreFileBatchesStatesNeverBack, trace.exchanges)).toEqual({
    observations: 0,
    violations: [],
  });
  trace.add(RETRIEVE, batchRequest, batch('in_progress'));
  expect(judgeRequirement(vectorStoreFileBatchesStatesNeverBack, trace.exchanges).violations).toHaveLength(1);
});

test('the mutant that returns to in_progress also breaks a batch whose first look-up was refused', () => {
  const trace = createBatchTrace();
  trace.add(RETRIEVE, batchRequest, refused);
  trace.add(RETRIEVE, batchRequest, batch('completed'));
  trace.add(RETRIEVE, batchRequest, batch('completed'));
  const changed =
    vectorStoreFileBatchesStatesNeverBack.mutations['back in progress']?.(trace.exchanges) ?? [];
  expect(judgeRequirement(vectorStoreFileBatchesStatesNeverBack, trace.exchanges).violations).toEqual([]);
  expect(judgeRequirement(vectorStoreFileBatchesStatesNeverBack, changed).violations).toHaveLength(1);
});

test('only a cancellation, even one still in flight, makes a batch cancelling', () => {
  const trace = createBatchTrace();
  trace.add(RETRIEVE, batchRequest, batch('cancelling'));
  expect(judgeRequirement(vectorStoreFileBatchesCancellingByCancel, trace.exchanges).violations).toHaveLength(
    1,
  );
  trace.add(CANCEL, { ...batchRequest, after: 1 }, batch('cancelling'));
  expect(judgeRequirement(vectorStoreFileBatchesCancellingByCancel, trace.exchanges).observations).toBe(0);
});

test('a batch lists only its own files', () => {
  const trace = createBatchTrace();
  trace.add(LIST, batchRequest, page('file-1', 'file-2'));
  expect(judgeRequirement(vectorStoreFileBatchesFilesOwn, trace.exchanges).violations).toMatchObject([
    { at: '/data/1/id', actual: 'file-2' },
  ]);
});

function addCompletedBatch(
  files: readonly string[],
  total: number,
  before = new TraceBuilder(),
): TraceBuilder {
  const file_counts = { in_progress: 0, completed: total, failed: 0, cancelled: 0, total };
  const answer = { json: { id: 'b_1', status: 'completed', file_counts } };
  before.add(CREATE, { path: { vector_store_id: 'vs_1' }, body: { file_ids: files } }, answer);
  before.add(RETRIEVE, batchRequest, answer);
  before.add(LIST, batchRequest, page('file-1'));
  before.add(RETRIEVE, batchRequest, answer);
  return before;
}

test('a file that a batch names twice may count once or twice', () => {
  for (const total of [1, 2])
    expect(
      judgeRequirement(
        vectorStoreFileBatchesCountsAsListed,
        addCompletedBatch(['file-1', 'file-1'], total).exchanges,
      ).observations,
    ).toBe(0);
  expect(
    judgeRequirement(vectorStoreFileBatchesCountsAsListed, addCompletedBatch(['file-1'], 2).exchanges)
      .violations,
  ).toMatchObject([
    { at: '/file_counts/total', expected: '1, as its files are listed', actual: 2 },
    { at: '/file_counts/completed', expected: '1, as its files are listed', actual: 2 },
  ]);
});

test('a completed batch need not list a file that was deleted before the batch was created', () => {
  const trace = new TraceBuilder();
  trace.add('deleteFile', { path: { file_id: 'file-2' } }, { json: { id: 'file-2', deleted: true } });
  expect(
    judgeRequirement(
      vectorStoreFileBatchesFilesAllListed,
      addCompletedBatch(['file-1', 'file-2'], 1, trace).exchanges,
    ).violations,
  ).toEqual([]);
  expect(
    judgeRequirement(
      vectorStoreFileBatchesFilesAllListed,
      addCompletedBatch(['file-1', 'file-2'], 1).exchanges,
    ).violations,
  ).toEqual([
    expect.objectContaining({ at: '/data', expected: 'an element with id file-2', actual: undefined }),
  ]);
});

test('a file that is already in the store may or may not belong to a batch', () => {
  const trace = new TraceBuilder();
  const added = { path: { vector_store_id: 'vs_1' }, body: { file_id: 'file-2' } };
  trace.add('createVectorStoreFile', added, { json: { id: 'file-2' } });
  addCompletedBatch(['file-1', 'file-2'], 2, trace);
  expect(judgeRequirement(vectorStoreFileBatchesFilesAllListed, trace.exchanges).violations).toEqual([]);
  expect(judgeRequirement(vectorStoreFileBatchesCountsAsListed, trace.exchanges).violations).toEqual([]);
  expect(
    judgeRequirement(
      vectorStoreFileBatchesCountsAsListed,
      addCompletedBatch(['file-1', 'file-2'], 2).exchanges,
    ).violations,
  ).toMatchObject([
    { at: '/file_counts/total', expected: '1, as its files are listed', actual: 2 },
    { at: '/file_counts/completed', expected: '1, as its files are listed', actual: 2 },
  ]);
});

test('a batch need not list a file that was added before a thousand others', () => {
  const trace = new TraceBuilder();
  const path = { vector_store_id: 'vs_1' };
  trace.add('createVectorStoreFile', { path, body: { file_id: 'file-2' } }, { json: { id: 'file-2' } });
  const others = Array.from({ length: 1000 }, (_, n) => `file-other-${n}`);
  trace.add(CREATE, { path, body: { file_ids: others } }, { json: { id: 'b_0' } });
  addCompletedBatch(['file-1', 'file-2'], 2, trace);
  expect(judgeRequirement(vectorStoreFileBatchesFilesAllListed, trace.exchanges).violations).toEqual([]);
  expect(judgeRequirement(vectorStoreFileBatchesCountsAsListed, trace.exchanges).violations).toEqual([]);
});

test.each([
  [['file-1', 'file-1'], 1, ['all of them']],
  [['file-1', 'file-1'], 2, ['all of them']],
  [['file-1', 'file-2'], 0, ['none yet']],
  [['file-1', 'file-2'], 1, ['another number']],
  [['file-1', 'file-2'], undefined, []],
])('a new batch of the files %j with the total %s counts at first: %j', (file_ids, total, alternatives) => {
  const trace = new TraceBuilder();
  const file_counts = total === undefined ? {} : { total };
  trace.add(CREATE, { path: { vector_store_id: 'vs_1' }, body: { file_ids } }, { json: { file_counts } });
  expect(takenAlternatives(fileBatchesCountsAtFirst, trace.exchanges)).toEqual(alternatives);
});

test('batches of two stores may have the same id', () => {
  const trace = createBatchTrace('completed');
  const elsewhere = { path: { vector_store_id: 'vs_2' }, body: { file_ids: ['file-2'] } };
  trace.add(CREATE, elsewhere, batch('in_progress'));
  expect(judgeRequirement(vectorStoreFileBatchesStatesNeverBack, trace.exchanges).violations).toEqual([]);
  trace.add(LIST, batchRequest, page('file-1'));
  expect(judgeRequirement(vectorStoreFileBatchesFilesOwn, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
});
