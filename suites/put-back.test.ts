import { expect, test } from 'vitest';
import type { Json } from '../exchange/http/body.ts';
import type { BehaviourRequirement, Evidence } from '../judge/requirements/requirement.ts';
import { judgeRequirement } from '../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../judge/testing/trace-builder.ts';
import { pageRequirements } from './generate/lists.requirements.ts';
import { relationRequirements } from './generate/objects.requirements.ts';
import { requirementFromRow } from './testing/row.ts';

const vectorStoreFilesFilterComplete = requirementFromRow('vector-store-files.filter.complete');

const FILE = 'file-1';
const store = { vector_store_id: 'vs_1' };
const inStore = { ...store, file_id: FILE };
const assistant = { assistant_id: 'asst_1' };
const onAssistant = { ...assistant, file_id: FILE };

const DELETION = { json: { id: FILE, deleted: true } };
const createFileObject = (status = 'completed', created_at = 1, id = FILE) => ({ id, created_at, status });
const page = (...data: readonly Json[]) => ({ json: { object: 'list', data, has_more: false } });

// as: each rule receives only evidence of its selector
const rules = [
  ...relationRequirements,
  ...pageRequirements,
  vectorStoreFilesFilterComplete,
] as unknown as readonly BehaviourRequirement<Evidence>[];

function countViolations(
  id: string,
  build: (trace: TraceBuilder, isExcused: boolean) => void,
): readonly number[] {
  const rule = rules.find((requirement) => requirement.id === id);
  if (rule === undefined) throw new Error(`There is no ${id}.`);
  return [true, false].map((isExcused) => {
    const trace = new TraceBuilder();
    build(trace, isExcused);
    return judgeRequirement(rule, trace.exchanges).violations.length;
  });
}

test.each(['retrieve', 'list'])('a file that a batch adds again is back in its store (%s)', (how) => {
  const counts = countViolations(`vector-store-files.delete.gone-from-${how}`, (trace, isBack) => {
    trace.add('deleteVectorStoreFile', { path: inStore }, DELETION);
    const body = { file_ids: [FILE] };
    if (isBack) trace.add('createVectorStoreFileBatch', { path: store, body }, { json: { id: 'vsfb_1' } });
    trace.add('retrieveVectorStoreFile', { path: inStore }, { json: createFileObject() });
    trace.add('listVectorStoreFiles', { path: store }, page(createFileObject()));
  });
  expect(counts).toEqual([0, 1]);
});

test.each(['retrieve', 'list'])(
  'a file that a modification names again is back on its assistant (%s)',
  (how) => {
    const counts = countViolations(`assistant-files.delete.gone-from-${how}`, (trace, isBack) => {
      trace.add('deleteAssistantFile', { path: onAssistant }, DELETION);
      const request = { path: assistant, beta: 'assistants=v1', body: { file_ids: isBack ? [FILE] : [] } };
      trace.add('modifyAssistant', request, { json: { id: 'asst_1', file_ids: [] } });
      trace.add('retrieveAssistantFile', { path: onAssistant }, { json: createFileObject() });
      trace.add('listAssistantFiles', { path: assistant }, page(createFileObject()));
    });
    expect(counts).toEqual([0, 1]);
  },
);

test.each([
  [400, 'retrieve'],
  [404, 'retrieve'],
  [400, 'list'],
  [404, 'list'],
])('a file may be back if its attachment failed with 500, but not with %i (%s)', (refusal, how) => {
  const counts = countViolations(`assistant-files.delete.gone-from-${how}`, (trace, isFailed) => {
    trace.add('deleteAssistantFile', { path: onAssistant }, DELETION);
    const attachment = { path: assistant, body: { file_id: FILE } };
    trace.add('createAssistantFile', attachment, { status: isFailed ? 500 : refusal });
    trace.add('retrieveAssistantFile', { path: onAssistant }, { json: createFileObject() });
    trace.add('listAssistantFiles', { path: assistant }, page(createFileObject()));
  });
  expect(counts).toEqual([0, 1]);
});

test('a file that was absent when a filtered page arrived need not be in it', () => {
  const counts = countViolations('vector-store-files.filter.complete', (trace, isAway) => {
    trace.add('retrieveVectorStoreFile', { path: inStore }, { json: createFileObject() });
    if (isAway) trace.add('deleteVectorStoreFile', { path: inStore }, DELETION);
    trace.add('listVectorStoreFiles', { path: store, query: { filter: 'completed' } }, page());
    const body = { file_ids: [FILE] };
    if (isAway) trace.add('createVectorStoreFileBatch', { path: store, body }, { json: { id: 'vsfb_1' } });
    trace.add('retrieveVectorStoreFile', { path: inStore }, { json: createFileObject() });
  });
  expect(counts).toEqual([0, 1]);
});

test('an addition says nothing about the filtered pages before it', () => {
  const counts = countViolations('vector-store-files.filter.complete', (trace, isAdded) => {
    const body = { file_id: FILE };
    const again = isAdded ? 'createVectorStoreFile' : 'retrieveVectorStoreFile';
    trace.add('createVectorStoreFile', { path: store, body }, { json: createFileObject('in_progress') });
    trace.add('listVectorStoreFiles', { path: store, query: { filter: 'in_progress' } }, page());
    trace.add(again, { path: inStore, body }, { json: createFileObject('in_progress') });
  });
  expect(counts).toEqual([0, 1]);
});

test('a file that is added again may be the newest', () => {
  const counts = countViolations('listVectorStoreFiles.page.after', (trace, isAgain) => {
    for (const [i, id] of [FILE, 'file-2'].entries()) {
      trace.add(
        'createVectorStoreFile',
        { path: store, body: { file_id: id } },
        { json: createFileObject('', i, id) },
      );
    }
    const body = { file_ids: [FILE] };
    if (isAgain) trace.add('createVectorStoreFileBatch', { path: store, body }, { json: { id: 'vsfb_1' } });
    trace.add('listVectorStoreFiles', { path: store, query: { after: 'file-2' } }, page());
  });
  expect(counts).toEqual([0, 1]);
});
