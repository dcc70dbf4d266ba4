// Judges refusals to change objects that are in use, and to show assistants of the other version.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/json.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { ResponseSketch } from '../testing/trace-builder.ts';

const V1 = 'assistants=v1';
const V2 = 'assistants=v2';
const NO: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

function countRefusals(...sent: readonly CallSketch[]): number {
  return [...evaluateAcceptance(sent).refused.values()].reduce((a, b) => a + b, 0);
}

const ASSISTANT = { assistant_id: 'asst_1' };
const listOf = (...objects: readonly JsonObject[]): ResponseSketch => ({
  json: { object: 'list', data: objects },
});
const assistant = (beta: string): CallSketch => [
  'createAssistant',
  { beta, body: { model: 'm' } },
  { json: { id: 'asst_1', object: 'assistant' } },
];
const file: CallSketch = ['listFiles', {}, listOf({ id: 'file-1', object: 'file' })];
const deletion = (after?: number): CallSketch => [
  'deleteFile',
  { path: { file_id: 'file-1' }, ...(after === undefined ? {} : { after }) },
  NO,
];
const batches = (status: string): CallSketch => [
  'listBatches',
  {},
  listOf({ id: 'batch_1', object: 'batch', input_file_id: 'file-1', status }),
];
const jobs = (status: string): CallSketch => [
  'listFineTuningJobs',
  {},
  listOf({
    id: 'ftjob-1',
    object: 'fine_tuning.job',
    training_file: 'file-1',
    validation_file: null,
    status,
  }),
];

test.for([
  ['a batch', [batches('validating')]],
  ['a fine-tuning job', [jobs('running')]],
  ['a fine-tuning job, after a batch', [batches('completed'), jobs('queued')]],
  ['a batch that ended only while it was deleted', [batches('validating'), batches('completed')], 2],
] as const)('deletion of a file may be refused while the file is read by %s', ([, users, after]) => {
  expect(countRefusals(file, ...users, deletion(after))).toBe(0);
});

test.for([
  ['no one', []],
  ['a batch that has ended', [batches('validating'), batches('completed')]],
  ['fine-tuning jobs that have ended', [jobs('running'), jobs('succeeded'), jobs('failed')]],
] as const)('a file must be deletable while it is read by %s', ([, users]) => {
  expect(countRefusals(file, ...users, deletion())).toBe(1);
});

test('a file that a batch reads must be readable', () => {
  expect(
    countRefusals(file, batches('validating'), ['retrieveFile', { path: { file_id: 'file-1' } }, NO]),
  ).toBe(1);
});

test('an assistant must be deletable, unless it may be running', () => {
  const run = (status: string): CallSketch => [
    'createThreadAndRun',
    { beta: V2, body: ASSISTANT },
    { json: { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', ...ASSISTANT, status } },
  ];
  const removal: CallSketch = ['deleteAssistant', { beta: V2, path: ASSISTANT }, NO];
  expect(countRefusals(assistant(V2), removal)).toBe(1);
  expect(countRefusals(assistant(V2), run('queued'), removal)).toBe(0);
  expect(countRefusals(assistant(V2), run('completed'), removal)).toBe(1);
  const another: CallSketch = ['createThreadAndRun', { beta: V2, body: ASSISTANT }, NO];
  expect(countRefusals(assistant(V2), run('queued'), another)).toBe(1);
});

test('an assistant must exist in the version that has shown it', () => {
  const read = (beta: string): CallSketch => ['retrieveAssistant', { beta, path: ASSISTANT }, NO];
  const run: CallSketch = ['createThreadAndRun', { beta: V2, body: ASSISTANT }, NO];
  const removal = (beta: string): CallSketch => ['deleteAssistant', { beta, path: ASSISTANT }, NO];
  expect(countRefusals(assistant(V2), read(V2))).toBe(1);
  expect(countRefusals(assistant(V2), read(V1))).toBe(0);
  expect(countRefusals(assistant(V1), read(V1))).toBe(1);
  expect(countRefusals(assistant(V2), run)).toBe(1);
  expect(countRefusals(assistant(V1), run)).toBe(0);
  expect(countRefusals(assistant(V2), removal(V1))).toBe(0);
  expect(countRefusals(assistant(V1), removal(V1))).toBe(1);
});

test('changes to an expired vector store may be refused, but neither its retrieval nor its deletion', () => {
  const stores: CallSketch = [
    'listVectorStores',
    { beta: V2 },
    listOf({ id: 'vs_1', object: 'vector_store', status: 'expired' }),
  ];
  const path = { vector_store_id: 'vs_1' };
  expect(countRefusals(stores, ['modifyVectorStore', { beta: V2, path, body: { name: 'b' } }, NO])).toBe(0);
  expect(countRefusals(stores, ['retrieveVectorStore', { beta: V2, path }, NO])).toBe(1);
  expect(countRefusals(stores, ['deleteVectorStore', { beta: V2, path }, NO])).toBe(1);
});

test('a cursor may be refused while its object is deleted', () => {
  const assistants: CallSketch = [
    'listAssistants',
    { beta: V2 },
    listOf({ id: 'asst_1', object: 'assistant' }, { id: 'asst_2', object: 'assistant' }),
  ];
  const page = (cursor: string): CallSketch => ['listAssistants', { beta: V2, query: { after: cursor } }, NO];
  const removal: CallSketch = [
    'deleteAssistant',
    { beta: V2, path: ASSISTANT, after: 1 },
    { json: { id: 'asst_1', object: 'assistant.deleted', deleted: true } },
  ];
  expect(countRefusals(assistants, page('asst_1'))).toBe(1);
  expect(countRefusals(assistants, page('asst_1'), removal)).toBe(0);
  expect(countRefusals(assistants, page('asst_2'), removal)).toBe(1);
});
