import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/json.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { ResponseSketch } from '../testing/trace-builder.ts';

const V2 = 'assistants=v2';
const NO: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

function countRefusals(...sent: readonly CallSketch[]): number {
  return [...evaluateAcceptance(sent).refused.values()].reduce((a, b) => a + b, 0);
}

const ASSISTANT = { assistant_id: 'asst_1' };
const listOf = (...objects: readonly JsonObject[]): ResponseSketch => ({
  json: { object: 'list', data: objects },
});
const assistant: CallSketch = [
  'createAssistant',
  { beta: V2, body: { model: 'm' } },
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
  [
    'a batch that ended only while the file was being deleted',
    [batches('validating'), batches('completed')],
    2,
  ],
] as const)('deletion of a file may be refused while the file is read by %s', ([, users, after]) => {
  expect(countRefusals(file, ...users, deletion(after))).toBe(0);
});

test.for([
  ['nothing', []],
  ['a batch that has ended', [batches('validating'), batches('completed')]],
  ['fine-tuning jobs that have ended', [jobs('running'), jobs('succeeded'), jobs('failed')]],
] as const)('a file must be deletable if it is read by %s', ([, users]) => {
  expect(countRefusals(file, ...users, deletion())).toBe(1);
});

test('a file that a batch reads must be retrievable', () => {
  expect(
    countRefusals(file, batches('validating'), ['retrieveFile', { path: { file_id: 'file-1' } }, NO]),
  ).toBe(1);
});

const run = (status: string): CallSketch => [
  'createThreadAndRun',
  { beta: V2, body: ASSISTANT },
  { json: { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', ...ASSISTANT, status } },
];

test('an assistant must be deletable unless a run may be using it', () => {
  const removal: CallSketch = ['deleteAssistant', { beta: V2, path: ASSISTANT }, NO];
  expect(countRefusals(assistant, removal)).toBe(1);
  expect(countRefusals(assistant, run('queued'), removal)).toBe(0);
  expect(countRefusals(assistant, run('completed'), removal)).toBe(1);
});

test('an assistant that a run uses must accept another run', () => {
  const another: CallSketch = ['createThreadAndRun', { beta: V2, body: ASSISTANT }, NO];
  expect(countRefusals(assistant, run('queued'), another)).toBe(1);
});
