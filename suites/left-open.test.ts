import { expect, test } from 'vitest';
import type { BehaviourRequirement, Evidence } from '../judge/requirements/requirement.ts';
import { judgeRequirement, takenAlternatives } from '../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../judge/testing/trace-builder.ts';
import {
  assistantFilesListAsFileIds,
  assistantFilesModifyLeftOutIsDetached,
} from './assistant-files/attachments.requirements.ts';
import { assistantsV1ObjectFileIdsByAge } from './assistants/files.requirements.ts';
import { filesListTellsUploaded } from './files/list.requirements.ts';
import { pageRequirements } from './generate/lists.requirements.ts';
import { relationRequirements } from './generate/objects.requirements.ts';
import { metadataModifyOtherPairs } from './metadata.requirements.ts';

const v1 = { beta: 'assistants=v1', path: { assistant_id: 'asst_1' } };
const v2 = { ...v1, beta: 'assistants=v2' };
const assistantWith = (ids: readonly string[]) => ({
  json: { id: 'asst_1', object: 'assistant', file_ids: ids },
});
const page = (ids: readonly string[], more = false) => ({
  json: { object: 'list', data: ids.map((id) => ({ id, created_at: 1 })), has_more: more },
});
// as: each rule receives only evidence of its selector
const rules = [
  ...pageRequirements,
  ...relationRequirements,
] as unknown as readonly BehaviourRequirement<Evidence>[];

function findRule(id: string): BehaviourRequirement<Evidence> {
  const rule = rules.find((requirement) => requirement.id === id);
  if (rule === undefined) throw new Error(`There is no ${id}.`);
  return rule;
}

function addDeletion(trace: TraceBuilder): void {
  const json = { id: 'file-1', object: 'file', deleted: true };
  trace.add('deleteFile', { path: { file_id: 'file-1' } }, { json });
}

test('a file may leave the list of files in progress before its page arrives', () => {
  const rule = findRule('listVectorStoreFiles.page.has-more');
  const judgeFilter = (filter: string) => {
    const trace = new TraceBuilder();
    const path = { vector_store_id: 'vs_1' };
    trace.add(
      'listVectorStoreFiles',
      { path, query: { limit: '1', ...(filter && { filter }) } },
      page(['a'], true),
    );
    const query = { limit: '1', after: 'a', ...(filter && { filter }) };
    trace.add('listVectorStoreFiles', { path, query }, page([]));
    return judgeRequirement(rule, trace.exchanges);
  };
  // Only the empty page is judged; it correctly says that no other page follows.
  expect(judgeFilter('in_progress')).toEqual({ observations: 1, violations: [] });
  expect(judgeFilter('').violations).toHaveLength(1);
});

test('an object that contains the id of a deleted file may lose it', () => {
  const rule = findRule('assistants-v1.retrieve.as-created');
  for (const isDeleted of [true, false]) {
    const trace = new TraceBuilder();
    trace.add(
      'createAssistant',
      { beta: v1.beta, body: { model: 'any' } },
      assistantWith(['file-1', 'file-2']),
    );
    if (isDeleted) addDeletion(trace);
    trace.add('retrieveAssistant', v1, assistantWith(['file-2']));
    expect(judgeRequirement(rule, trace.exchanges).violations).toHaveLength(isDeleted ? 0 : 1);
  }
});

test('files and their assistants need not agree once the file is deleted', () => {
  for (const isDeleted of [true, false]) {
    const trace = new TraceBuilder();
    trace.add('retrieveAssistant', v1, assistantWith(['file-1', 'file-2']));
    if (isDeleted) addDeletion(trace);
    trace.add('listAssistantFiles', v1, page(['file-2']));
    expect(judgeRequirement(assistantFilesListAsFileIds, trace.exchanges).violations).toHaveLength(
      isDeleted ? 0 : 1,
    );
  }
});

test('an incomplete page of files need not have every file', () => {
  const judgePage = (query: Readonly<Record<string, string>>, more: boolean) => {
    const trace = new TraceBuilder();
    trace.add('createFile', { form: [] }, { json: { id: 'file-1', purpose: 'batch' } });
    trace.add('listFiles', { query }, page([], more));
    return judgeRequirement(filesListTellsUploaded, trace.exchanges).violations.length;
  };
  expect([judgePage({}, false), judgePage({ limit: '1' }, false), judgePage({}, true)]).toEqual([1, 0, 0]);
});

test('a modification sets its pairs of metadata, and whether it keeps the others is a choice', () => {
  const rule = findRule('assistants-v2.modify.keeps-metadata');
  const trace = new TraceBuilder();
  const answer = (metadata: Readonly<Record<string, string>>) => ({ json: { id: 'asst_1', metadata } });
  trace.add('createAssistant', { beta: v2.beta, body: { model: 'any' } }, answer({ a: '1' }));
  trace.add('modifyAssistant', { ...v2, body: { metadata: { b: '2' } } }, answer({ a: '1', b: '2' }));
  expect(judgeRequirement(rule, trace.exchanges)).toEqual({ observations: 1, violations: [] });
  expect(takenAlternatives(metadataModifyOtherPairs, trace.exchanges)).toEqual(['merged']);
  trace.add('modifyAssistant', { ...v2, body: { metadata: { b: '3' } } }, answer({ a: '1', b: '2' }));
  expect(judgeRequirement(rule, trace.exchanges).violations).toHaveLength(1);
});

test('whether a modification keeps a pair whose key is the name of a member of every object is a choice', () => {
  const trace = new TraceBuilder();
  const answer = (metadata: Readonly<Record<string, string>>) => ({ json: { id: 'asst_1', metadata } });
  trace.add('createAssistant', { beta: v2.beta, body: { model: 'any' } }, answer({ constructor: '1' }));
  trace.add('modifyAssistant', { ...v2, body: { metadata: { b: '2' } } }, answer({ b: '2' }));
  expect(takenAlternatives(metadataModifyOtherPairs, trace.exchanges)).toEqual(['replaced']);
});

test('a file need not be detached by a modification with null as file_ids', () => {
  const countViolations = (file_ids: readonly string[] | null) => {
    const trace = new TraceBuilder();
    trace.add('modifyAssistant', { ...v1, body: { file_ids } }, assistantWith(['file-1']));
    const path = { ...v1.path, file_id: 'file-1' };
    trace.add('retrieveAssistantFile', { ...v1, path }, { json: { id: 'file-1' } });
    return judgeRequirement(assistantFilesModifyLeftOutIsDetached, trace.exchanges).violations.length;
  };
  expect([countViolations([]), countViolations(null)]).toEqual([1, 0]);
});

test('a file that was detached and attached again may have another position in the list', () => {
  for (const isDetached of [true, false]) {
    const trace = new TraceBuilder();
    for (const [i, id] of ['file-1', 'file-2'].entries()) {
      trace.add('createFile', { form: [] }, { json: { id, created_at: i } });
      trace.add('createAssistantFile', { ...v1, body: { file_id: id } }, { json: { id, created_at: i } });
    }
    if (isDetached) {
      const path = { ...v1.path, file_id: 'file-1' };
      trace.add('deleteAssistantFile', { ...v1, path }, { json: { id: 'file-1', deleted: true } });
      const json = { id: 'file-1', created_at: 2 };
      trace.add('createAssistantFile', { ...v1, body: { file_id: 'file-1' } }, { json });
    }
    trace.add('retrieveAssistant', v1, assistantWith(['file-2', 'file-1']));
    expect(judgeRequirement(assistantsV1ObjectFileIdsByAge, trace.exchanges).violations).toHaveLength(
      isDetached ? 0 : 1,
    );
  }
});

test('a retrieved vector store must equal the created one, unless it is deleted at the same time', () => {
  const countViolations = (isDeleted: boolean): number => {
    const trace = new TraceBuilder();
    const request = { path: { vector_store_id: 'vs_1' } };
    trace.add('createVectorStore', {}, { json: { id: 'vs_1', name: 'a' } });
    if (isDeleted) trace.add('deleteVectorStore', request, { json: { id: 'vs_1', deleted: true } });
    trace.add('retrieveVectorStore', { ...request, after: 1 }, { json: { id: 'vs_1', name: 'b' } });
    const rule = findRule('vector-stores.retrieve.as-created');
    return judgeRequirement(rule, trace.exchanges).violations.length;
  };
  expect(countViolations(false)).toBe(1);
  expect(countViolations(true)).toBe(0);
});
