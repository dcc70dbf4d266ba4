import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/json.ts';
import { type CallSketch, evaluateAcceptance } from '../testing/evaluate-acceptance.ts';
import type { ResponseSketch } from '../testing/trace-builder.ts';

const V2 = 'assistants=v2';
const REFUSAL: ResponseSketch = { status: 400, json: { error: { message: 'no' } } };

function countRefusals(...sent: readonly CallSketch[]): number {
  return [...evaluateAcceptance(sent).refused.values()].reduce((sum, count) => sum + count, 0);
}

const ASSISTANT = { assistant_id: 'asst_1' };
const createList = (...objects: readonly JsonObject[]): ResponseSketch => ({
  json: { object: 'list', data: objects },
});
const assistant: CallSketch = [
  'createAssistant',
  { beta: V2, body: { model: 'm' } },
  { json: { id: 'asst_1', object: 'assistant' } },
];
const file: CallSketch = ['listFiles', {}, createList({ id: 'file-1', object: 'file' })];
const deleteFile = (after?: number): CallSketch => [
  'deleteFile',
  { path: { file_id: 'file-1' }, ...(after === undefined ? {} : { after }) },
  REFUSAL,
];
const listBatches = (status: string): CallSketch => [
  'listBatches',
  {},
  createList({ id: 'batch_1', object: 'batch', input_file_id: 'file-1', status }),
];
const listJobs = (status: string): CallSketch => [
  'listFineTuningJobs',
  {},
  createList({
    id: 'ftjob-1',
    object: 'fine_tuning.job',
    training_file: 'file-1',
    validation_file: null,
    status,
  }),
];

test.for([
  ['a batch', [listBatches('validating')]],
  ['a fine-tuning job', [listJobs('running')]],
  ['a fine-tuning job, after a batch', [listBatches('completed'), listJobs('queued')]],
  [
    'a batch that ended only while the file was being deleted',
    [listBatches('validating'), listBatches('completed')],
    2,
  ],
] as const)('deletion of a file may be refused while the file is read by %s', ([, readers, after]) => {
  expect(countRefusals(file, ...readers, deleteFile(after))).toBe(0);
});

test.for([
  ['nothing', []],
  ['a batch that has ended', [listBatches('validating'), listBatches('completed')]],
  ['fine-tuning jobs that have ended', [listJobs('running'), listJobs('succeeded'), listJobs('failed')]],
] as const)('a file must be deletable if it is read by %s', ([, readers]) => {
  expect(countRefusals(file, ...readers, deleteFile())).toBe(1);
});

test('a file that a batch reads must be retrievable', () => {
  expect(
    countRefusals(file, listBatches('validating'), [
      'retrieveFile',
      { path: { file_id: 'file-1' } },
      REFUSAL,
    ]),
  ).toBe(1);
});

const createRun = (status: string): CallSketch => [
  'createThreadAndRun',
  { beta: V2, body: ASSISTANT },
  { json: { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', ...ASSISTANT, status } },
];

test('an assistant must be deletable unless a run may be using it', () => {
  const removal: CallSketch = ['deleteAssistant', { beta: V2, path: ASSISTANT }, REFUSAL];
  expect(countRefusals(assistant, removal)).toBe(1);
  expect(countRefusals(assistant, createRun('queued'), removal)).toBe(0);
  expect(countRefusals(assistant, createRun('completed'), removal)).toBe(1);
});

test('an assistant that a run uses must accept another run', () => {
  const another: CallSketch = ['createThreadAndRun', { beta: V2, body: ASSISTANT }, REFUSAL];
  expect(countRefusals(assistant, createRun('queued'), another)).toBe(1);
});
