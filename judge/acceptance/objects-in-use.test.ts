// Objects in use by others, and assistants of both versions.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/json.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { ResponseSketch } from '../testing/trace-builder.ts';

const V1 = 'assistants=v1';
const V2 = 'assistants=v2';
const NO: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

function refusalsIn(...sent: readonly CallSketch[]): number {
  return [...evaluateAcceptance(sent).refused.values()].reduce((a, b) => a + b, 0);
}

const ASSISTANT = { assistant_id: 'asst_1' };
const shown = (...objects: readonly JsonObject[]): ResponseSketch => ({
  json: { object: 'list', data: objects },
});
const assistant = (beta: string): CallSketch => [
  'createAssistant',
  { beta, body: { model: 'm' } },
  { json: { id: 'asst_1', object: 'assistant' } },
];
const file: CallSketch = ['listFiles', {}, shown({ id: 'file-1', object: 'file' })];
const deletion = (after?: number): CallSketch => [
  'deleteFile',
  { path: { file_id: 'file-1' }, ...(after === undefined ? {} : { after }) },
  NO,
];
const batches = (status: string): CallSketch => [
  'listBatches',
  {},
  shown({ id: 'batch_1', object: 'batch', input_file_id: 'file-1', status }),
];
const jobs = (status: string): CallSketch => [
  'listFineTuningJobs',
  {},
  shown({ id: 'ftjob-1', object: 'fine_tuning.job', training_file: 'file-1', validation_file: null, status }),
];

test.for([
  ['a batch', [batches('validating')]],
  ['a training', [jobs('running')]],
  ['a training, after a batch', [batches('completed'), jobs('queued')]],
  ['a batch that ended only while it was deleted', [batches('validating'), batches('completed')], 2],
] as const)('a file may refuse deletion while it is read by %s', ([, users, after]) => {
  expect(refusalsIn(file, ...users, deletion(after))).toBe(0);
});

test.for([
  ['no one', []],
  ['a batch that has ended', [batches('validating'), batches('completed')]],
  ['trainings that have ended', [jobs('running'), jobs('succeeded'), jobs('failed')]],
] as const)('a file must be deletable while it is read by %s', ([, users]) => {
  expect(refusalsIn(file, ...users, deletion())).toBe(1);
});

test('a file that a batch reads must be readable', () => {
  expect(refusalsIn(file, batches('validating'), ['retrieveFile', { path: { file_id: 'file-1' } }, NO])).toBe(
    1,
  );
});

test('an assistant must be deletable, unless it may be running', () => {
  const run = (status: string): CallSketch => [
    'createThreadAndRun',
    { beta: V2, body: ASSISTANT },
    { json: { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', ...ASSISTANT, status } },
  ];
  const removal: CallSketch = ['deleteAssistant', { beta: V2, path: ASSISTANT }, NO];
  expect(refusalsIn(assistant(V2), removal)).toBe(1);
  expect(refusalsIn(assistant(V2), run('queued'), removal)).toBe(0);
  expect(refusalsIn(assistant(V2), run('completed'), removal)).toBe(1);
  const another: CallSketch = ['createThreadAndRun', { beta: V2, body: ASSISTANT }, NO];
  expect(refusalsIn(assistant(V2), run('queued'), another)).toBe(1);
});

test('an assistant must exist in the version that has shown it', () => {
  const read = (beta: string): CallSketch => ['retrieveAssistant', { beta, path: ASSISTANT }, NO];
  const run: CallSketch = ['createThreadAndRun', { beta: V2, body: ASSISTANT }, NO];
  const removal = (beta: string): CallSketch => ['deleteAssistant', { beta, path: ASSISTANT }, NO];
  expect(refusalsIn(assistant(V2), read(V2))).toBe(1);
  expect(refusalsIn(assistant(V2), read(V1))).toBe(0);
  expect(refusalsIn(assistant(V1), read(V1))).toBe(1);
  expect(refusalsIn(assistant(V2), run)).toBe(1);
  expect(refusalsIn(assistant(V1), run)).toBe(0);
  expect(refusalsIn(assistant(V2), removal(V1))).toBe(0);
  expect(refusalsIn(assistant(V1), removal(V1))).toBe(1);
});

test('an expired store may refuse changes, but not retrieval', () => {
  const stores: CallSketch = [
    'listVectorStores',
    { beta: V2 },
    shown({ id: 'vs_1', object: 'vector_store', status: 'expired' }),
  ];
  const path = { vector_store_id: 'vs_1' };
  expect(refusalsIn(stores, ['modifyVectorStore', { beta: V2, path, body: { name: 'b' } }, NO])).toBe(0);
  expect(refusalsIn(stores, ['retrieveVectorStore', { beta: V2, path }, NO])).toBe(1);
  expect(refusalsIn(stores, ['deleteVectorStore', { beta: V2, path }, NO])).toBe(1);
});

test('a cursor may be refused while its object is deleted', () => {
  const assistants: CallSketch = [
    'listAssistants',
    { beta: V2 },
    shown({ id: 'asst_1', object: 'assistant' }, { id: 'asst_2', object: 'assistant' }),
  ];
  const page = (cursor: string): CallSketch => ['listAssistants', { beta: V2, query: { after: cursor } }, NO];
  const removal: CallSketch = [
    'deleteAssistant',
    { beta: V2, path: ASSISTANT, after: 1 },
    { json: { id: 'asst_1', object: 'assistant.deleted', deleted: true } },
  ];
  expect(refusalsIn(assistants, page('asst_1'))).toBe(1);
  expect(refusalsIn(assistants, page('asst_1'), removal)).toBe(0);
  expect(refusalsIn(assistants, page('asst_2'), removal)).toBe(1);
});
