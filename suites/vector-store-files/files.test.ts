import { describe, expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement, takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { choice } from '../vocabulary/statements.ts';
import { vectorStoreFilesCreateAgain } from './choices.requirements.ts';
import { statusChanges } from './statuses.ts';

const vectorStoreFilesFilterComplete = requirementFromRow('vector-store-files.filter.complete');
const vectorStoreFilesFailedTellsWhy = requirementFromRow('vector-store-files.failed.tells-why');
const vectorStoreFilesDeleteKeepsOtherStores = requirementFromRow(
  'vector-store-files.delete.keeps-other-stores',
);
const vectorStoreFilesDeleteKeepsFile = requirementFromRow('vector-store-files.delete.keeps-file');
const vectorStoreFilesDeleteFileDeletable = requirementFromRow('vector-store-files.delete.file-deletable');
const store = { path: { vector_store_id: 'vs_1' } };
const file = { path: { file_id: 'file-1' } };
const inStore = { path: { vector_store_id: 'vs_1', file_id: 'file-1' } };
const inOther = { path: { vector_store_id: 'vs_2', file_id: 'file-1' } };
const fileResponse = (status: string): { readonly json: Json } => ({ json: { id: 'file-1', status } });
const page = (...files: readonly Json[]): { readonly json: Json } => ({
  json: { data: files, has_more: false },
});
const FAILED = { ...store, query: { filter: 'failed' } };
const gone = { status: 404, json: {} };
const deleted = { json: { deleted: true } };

function createTrace(): TraceBuilder {
  const trace = new TraceBuilder();
  trace.add('createFile', {}, { json: { id: 'file-1' } });
  trace.add('createVectorStoreFile', { ...store, body: { file_id: 'file-1' } }, fileResponse('in_progress'));
  return trace;
}

describe('a filter', () => {
  test('is judged only by a file that is in one state before and after', () => {
    const trace = createTrace();
    trace.add('retrieveVectorStoreFile', inStore, fileResponse('in_progress'));
    trace.add('listVectorStoreFiles', FAILED, page());
    trace.add('retrieveVectorStoreFile', inStore, fileResponse('failed'));
    expect(judgeRequirement(vectorStoreFilesFilterComplete, trace.exchanges).observations).toBe(0);
    trace.add('listVectorStoreFiles', FAILED, page());
    trace.add('listVectorStoreFiles', store, page({ id: 'file-1', status: 'failed' }));
    expect(judgeRequirement(vectorStoreFilesFilterComplete, trace.exchanges)).toMatchObject({
      observations: 1,
      violations: [{ at: '/data', expected: 'an element with id file-1', exchange: 'e6' }],
    });
  });

  test('is correct on a page that shows the file', () => {
    const trace = createTrace();
    trace.add('listVectorStoreFiles', FAILED, page({ id: 'file-1', status: 'failed' }));
    expect(judgeRequirement(vectorStoreFilesFilterComplete, trace.exchanges)).toEqual({
      observations: 1,
      violations: [],
    });
  });

  test('is correct on each page of a walk, which shows only some of the files', () => {
    const trace = createTrace();
    const [one, other] = [
      { id: 'file-1', status: 'failed' },
      { id: 'file-2', status: 'failed' },
    ];
    trace.add('listVectorStoreFiles', FAILED, { json: { data: [one], has_more: true } });
    const next = { ...store, query: { filter: 'failed', after: 'file-1' } };
    trace.add('listVectorStoreFiles', next, page(other));
    expect(judgeRequirement(vectorStoreFilesFilterComplete, trace.exchanges)).toEqual({
      observations: 2,
      violations: [],
    });
  });

  test('is not judged by a page that overlaps the response that shows a new status', () => {
    const trace = createTrace();
    trace.add('retrieveVectorStoreFile', inStore, fileResponse('in_progress'));
    trace.add('listVectorStoreFiles', FAILED, page());
    trace.add('retrieveVectorStoreFile', { ...inStore, after: 3 }, fileResponse('failed'));
    trace.add('retrieveVectorStoreFile', inStore, fileResponse('failed'));
    expect(judgeRequirement(vectorStoreFilesFilterComplete, trace.exchanges).observations).toBe(0);
  });

  test('is not judged by a page during which the file may have been added again', () => {
    const trace = createTrace();
    trace.add('retrieveVectorStoreFile', inStore, fileResponse('failed'));
    trace.add('deleteVectorStoreFile', inStore, deleted);
    trace.add('createVectorStoreFileBatch', { ...store, body: { file_ids: ['file-1'] } }, { json: {} });
    trace.add('listVectorStoreFiles', { ...FAILED, after: 3 }, page());
    trace.add('retrieveVectorStoreFile', { ...inStore, after: 5 }, fileResponse('failed'));
    trace.add('retrieveVectorStoreFile', inStore, fileResponse('failed'));
    expect(judgeRequirement(vectorStoreFilesFilterComplete, trace.exchanges).observations).toBe(0);
  });

  test('is not judged by a truncated page', () => {
    const trace = createTrace();
    trace.add('retrieveVectorStoreFile', inStore, fileResponse('failed'));
    trace.add('listVectorStoreFiles', FAILED, { json: { data: [], has_more: true } });
    trace.add('retrieveVectorStoreFile', inStore, fileResponse('failed'));
    expect(judgeRequirement(vectorStoreFilesFilterComplete, trace.exchanges).observations).toBe(0);
  });
});

describe('a file that is removed from a store', () => {
  test('has to stay among the files until it is deleted there', () => {
    const trace = createTrace();
    trace.add('deleteVectorStoreFile', inStore, deleted);
    trace.add('retrieveFile', file, gone);
    expect(judgeRequirement(vectorStoreFilesDeleteKeepsFile, trace.exchanges)).toMatchObject({
      observations: 1,
      violations: [{ actual: 404 }],
    });
    // An overlapping deletion may have come first.
    trace.add('deleteFile', { ...file, after: 3 }, deleted);
    expect(judgeRequirement(vectorStoreFilesDeleteKeepsFile, trace.exchanges).observations).toBe(0);
  });

  test('has to be found by the first deletion only', () => {
    const trace = createTrace();
    trace.add('deleteVectorStoreFile', inStore, deleted);
    trace.add('deleteFile', file, deleted);
    trace.add('deleteFile', file, gone);
    expect(judgeRequirement(vectorStoreFilesDeleteFileDeletable, trace.exchanges)).toEqual({
      observations: 1,
      violations: [],
    });
    const lost = createTrace();
    lost.add('deleteVectorStoreFile', inStore, deleted);
    lost.add('deleteFile', file, gone);
    expect(judgeRequirement(vectorStoreFilesDeleteFileDeletable, lost.exchanges)).toMatchObject({
      observations: 1,
      violations: [{ actual: 404 }],
    });
  });

  test('proves nothing if it was deleted before', () => {
    const trace = createTrace();
    trace.add('deleteFile', file, deleted);
    trace.add('deleteVectorStoreFile', inStore, deleted);
    trace.add('retrieveFile', file, gone);
    expect(judgeRequirement(vectorStoreFilesDeleteKeepsFile, trace.exchanges).observations).toBe(0);
  });

  test('has to stay in another store', () => {
    const trace = createTrace();
    const other = { path: { vector_store_id: 'vs_2' }, body: { file_id: 'file-1' } };
    trace.add('createVectorStoreFile', other, fileResponse('in_progress'));
    trace.add('deleteVectorStoreFile', inStore, deleted);
    trace.add('retrieveVectorStoreFile', inStore, gone);
    trace.add('retrieveVectorStoreFile', inOther, gone);
    expect(judgeRequirement(vectorStoreFilesDeleteKeepsOtherStores, trace.exchanges)).toMatchObject({
      observations: 1,
      violations: [{ actual: 404 }],
    });
    trace.add('deleteVectorStore', { path: { vector_store_id: 'vs_2' }, after: 5 }, deleted);
    expect(judgeRequirement(vectorStoreFilesDeleteKeepsOtherStores, trace.exchanges).observations).toBe(0);
  });
});

test('a failed file says why, wherever it is shown', () => {
  const trace = createTrace();
  const failed = { id: 'file-1', status: 'failed' };
  trace.add('retrieveVectorStoreFile', inStore, { json: { ...failed, last_error: { code: 'x' } } });
  trace.add('listVectorStoreFiles', store, page({ ...failed, last_error: null }));
  expect(judgeRequirement(vectorStoreFilesFailedTellsWhy, trace.exchanges)).toMatchObject({
    observations: 2,
    violations: [{ at: '/data/0/last_error', actual: null }],
  });
});

test('a file that is removed and added again does not change its status', () => {
  const trace = createTrace();
  trace.add('retrieveVectorStoreFile', inStore, fileResponse('completed'));
  trace.add('deleteVectorStoreFile', inStore, deleted);
  trace.add('createVectorStoreFile', { ...store, body: { file_id: 'file-1' } }, fileResponse('in_progress'));
  const change = choice({
    id: 'test.status.change',
    spec: '2 Models',
    says: 'How a status changes.',
    alternatives: ['in_progress to completed', 'completed to in_progress'],
    selector: statusChanges,
    taken: ({ from, to }) => `${from} to ${to}`,
  });
  expect(takenAlternatives(change, trace.exchanges)).toEqual(['in_progress to completed']);
});

test.each([
  [200, ['accepted']],
  [400, ['refused']],
  [409, ['refused']],
  [404, ['refused']],
])('the status %i for a file that is added again shows %j', (status, alternatives) => {
  const trace = createTrace();
  trace.add('createVectorStoreFile', { ...store, body: { file_id: 'file-1' } }, { status, json: {} });
  expect(takenAlternatives(vectorStoreFilesCreateAgain, trace.exchanges)).toEqual(alternatives);
});
