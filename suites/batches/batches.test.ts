import { describe, expect, test } from 'vitest';
import type { CallInput, ScenarioContext } from '../../drive/scenario/scenario.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { BehaviourRequirement, Evidence } from '../../judge/requirements/requirement.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { relationRequirements } from '../generate/objects.requirements.ts';
import { requirementFromRow } from '../testing/row.ts';
import { batchesMisfitsScenario } from './batches.suite.ts';
import {
  batchesResultsCountsAreLines,
  batchesResultsEachRequestOnce,
  batchesResultsSuccessesInOutput,
} from './results.requirements.ts';
import { batchesResultsOfRequest } from './token-limits.requirements.ts';

const CHAT = '/v1/chat/completions';
const line = (custom_id: string, more = {}) => ({ custom_id, method: 'POST', url: CHAT, body: {}, ...more });
const lines = (all: readonly Json[]) => all.map((one) => `${JSON.stringify(one)}\n`).join('');

function countBatchViolations(
  input: readonly Json[],
  reported: Readonly<Record<string, Json>>,
  output: readonly string[],
) {
  const trace = new TraceBuilder();
  const form = [
    { name: 'purpose', value: 'batch' },
    { name: 'file', filename: 'a.jsonl', value: lines(input) },
  ];
  trace.add('createFile', { form }, { json: { id: 'file-in', purpose: 'batch' } });
  const output_file_id = output.length === 0 ? null : 'file-out';
  const files = { input_file_id: 'file-in', output_file_id, error_file_id: null };
  const json = { id: 'batch_1', status: 'completed', endpoint: CHAT, ...files, ...reported };
  trace.add('retrieveBatch', { path: { batch_id: 'batch_1' } }, { json });
  const text = lines(output.map((custom_id) => ({ id: 'r', custom_id, response: { status_code: 200 } })));
  if (output.length > 0)
    trace.add('retrieveFileContent', { path: { file_id: 'file-out' } }, { text, headers: [] });
  return [batchesResultsEachRequestOnce, batchesResultsCountsAreLines].map(
    (rule) => judgeRequirement(rule, trace.exchanges).violations.length,
  );
}

test('a completed batch without any file has lost its requests', () => {
  const none = { request_counts: { total: 0, completed: 0, failed: 0 } };
  expect(countBatchViolations([line('a'), line('b')], none, [])).toEqual([2, 1]);
});

test.each([
  ['another method', line('b', { method: 'GET' })],
  ['an endpoint without batches', line('b', { url: '/v1/models' })],
  ['another endpoint', line('b', { url: '/v1/completions' })],
  ['not an object', 'not a request'],
])('an invalid line (%s) may be omitted from the results and reported elsewhere', (_, bad) => {
  const reported = { request_counts: { total: 1, completed: 1, failed: 0 }, errors: { data: [{ line: 2 }] } };
  expect(countBatchViolations([line('a'), bad], reported, ['a'])).toEqual([0, 0]);
  expect(countBatchViolations([line('a'), line('b')], reported, ['a'])).toEqual([1, 1]);
});

test('a batch that already writes its results need not be cancelled', () => {
  const rule = requirementFromRow('batches.cancel.cancelling');
  const judgeCancellation = (status: string): number => {
    const trace = new TraceBuilder();
    const path = { batch_id: 'batch_1' };
    trace.add('retrieveBatch', { path }, { json: { id: 'batch_1', status: 'in_progress' } });
    trace.add('cancelBatch', { path }, { json: { id: 'batch_1', status } });
    return judgeRequirement(rule, trace.exchanges).violations.length;
  };
  expect(['in_progress', 'finalizing', 'cancelling'].map(judgeCancellation)).toEqual([1, 0, 0]);
});

describe('files that a batch names', () => {
  const path = { file_id: 'file-out' };
  const batch = { path: { batch_id: 'batch_1' } };
  const namedBatch = (status: string) => ({
    json: { id: 'batch_1', status, output_file_id: 'file-out', error_file_id: null },
  });
  const countViolations = (trace: TraceBuilder, id: string): number =>
    judgeRequirement(requirementFromRow(id), trace.exchanges).violations.length;

  test.each(['completed', 'cancelled', 'expired', 'failed'])('must be found if the batch is %s', (status) => {
    const trace = new TraceBuilder();
    trace.add('retrieveBatch', batch, namedBatch(status));
    trace.add('retrieveFile', { path }, { status: 404, json: {} });
    expect(countViolations(trace, 'batches.results.output-file-found')).toBe(1);
  });

  test('need not exist yet if the batch has not ended', () => {
    const trace = new TraceBuilder();
    trace.add('retrieveBatch', batch, namedBatch('in_progress'));
    trace.add('retrieveFile', { path }, { status: 404, json: {} });
    expect(countViolations(trace, 'batches.results.output-file-found')).toBe(0);
  });

  test('need not be found once they are deleted, even if the batch still names them', () => {
    const trace = new TraceBuilder();
    trace.add('retrieveBatch', batch, namedBatch('completed'));
    trace.add('deleteFile', { path }, { json: { id: 'file-out', object: 'file', deleted: true } });
    trace.add('retrieveBatch', batch, namedBatch('completed'));
    trace.add('retrieveFile', { path }, { status: 404, json: {} });
    expect(countViolations(trace, 'batches.results.output-file-found')).toBe(0);
  });
});

test('a misplaced failure is shown by its error, and without one by its status', () => {
  const trace = new TraceBuilder();
  const json = { id: 'batch_1', status: 'completed', output_file_id: 'file-out', error_file_id: null };
  trace.add('retrieveBatch', { path: { batch_id: 'batch_1' } }, { json });
  const error = { code: 'expired', message: 'Too late.' };
  const text = lines([
    { id: 'r', custom_id: 'a', response: { status_code: 200 }, error },
    { id: 's', custom_id: 'b', response: { status_code: 400 }, error: null },
  ]);
  trace.add('retrieveFileContent', { path: { file_id: 'file-out' } }, { text, headers: [] });
  expect(judgeRequirement(batchesResultsSuccessesInOutput, trace.exchanges).violations).toMatchObject([
    { at: 'line 1', actual: error },
    { at: 'line 2', actual: 400 },
  ]);
});

test('a line for another endpoint is sent to a target without a model for completions', async () => {
  const flaws: unknown[] = [];
  // as: the scenario uses no other members
  const context = {
    tag: 'assay',
    model: (role: string) => {
      if (role !== 'chat') throw new Error(`no model for ${role}`);
      return 'm';
    },
    modelField: () => ({}),
    unknownId: (prefix: string) => `${prefix}none`,
    need: () => ({ text: () => 'file-1' }),
    call: (operation: string, { probe }: CallInput = {}) => {
      if (operation === 'createBatch') flaws.push(probe?.keyword);
      return { ok: operation === 'createFile', text: () => 'file-1' };
    },
  } as unknown as ScenarioContext;
  await batchesMisfitsScenario.run(context);
  expect(flaws).toContain('endpoint');
});

test('empty metadata may be returned as null', () => {
  const rule = relationRequirements.find(({ id }) => id === 'batches.create.keeps-metadata');
  const judgeCreation = (metadata: Json): number => {
    const trace = new TraceBuilder();
    const body = { input_file_id: 'file-1', endpoint: CHAT, completion_window: '24h', metadata };
    trace.add('createBatch', { body }, { json: { id: 'batch_1', metadata: null } });
    // as: it only gets evidence from its selector
    return judgeRequirement(rule as unknown as BehaviourRequirement<Evidence>, trace.exchanges).violations
      .length;
  };
  expect([judgeCreation({}), judgeCreation({ a: 'b' })]).toEqual([0, 1]);
});

describe('the tokens of a line of results', () => {
  function countViolations(asked: Readonly<Record<string, Json>>, completion_tokens: number): number {
    const trace = new TraceBuilder();
    const url = '/v1/completions';
    const request = { custom_id: 'a', method: 'POST', url, body: { model: 'm', max_tokens: 4, ...asked } };
    const form = [
      { name: 'purpose', value: 'batch' },
      { name: 'file', filename: 'a.jsonl', value: lines([request]) },
    ];
    trace.add('createFile', { form }, { json: { id: 'file-in', purpose: 'batch' } });
    const files = { input_file_id: 'file-in', output_file_id: 'file-out', error_file_id: null };
    const json = { id: 'batch_1', status: 'completed', endpoint: url, ...files };
    trace.add('retrieveBatch', { path: { batch_id: 'batch_1' } }, { json });
    const body = { choices: [{ index: 0, text: 'one' }], usage: { completion_tokens } };
    const text = lines([{ id: 'r', custom_id: 'a', response: { status_code: 200, body } }]);
    trace.add('retrieveFileContent', { path: { file_id: 'file-out' } }, { text, headers: [] });
    return judgeRequirement(batchesResultsOfRequest, trace.exchanges).violations.length;
  }

  test.each<[string, Readonly<Record<string, Json>>, number]>([
    ['one prompt', { prompt: 'Say one.' }, 4],
    ['two prompts', { prompt: ['Say one.', 'Say two.'] }, 8],
    ['two texts', { prompt: 'Say one.', n: 2 }, 8],
    ['the best of three', { prompt: 'Say one.', best_of: 3 }, 12],
    ['the best of three for each of two prompts', { prompt: ['Say one.', 'Say two.'], best_of: 3 }, 24],
    ['a prompt of tokens', { prompt: [1, 2, 3] }, 4],
  ])('are no more than max_tokens for each text: %s', (_, asked, most) => {
    expect([countViolations(asked, most), countViolations(asked, most + 1)]).toEqual([0, 1]);
  });

  test('may include an echoed prompt', () => {
    expect(countViolations({ prompt: 'Say one.', echo: true }, 6)).toBe(0);
    expect(countViolations({ prompt: 'Say one.', echo: false }, 6)).toBe(1);
  });
});

test.each([
  [1, 2, 0],
  [0, 2, 1],
  // One input line has no result; another field may report its failure.
  [1, 3, 0],
])(
  'a batch that counts %i failed requests of %i and shows one failure has %i violations',
  (failed, total, violationCount) => {
    const trace = new TraceBuilder();
    const files = { output_file_id: 'file-out', error_file_id: 'file-err' };
    const json = {
      id: 'batch_1',
      status: 'completed',
      ...files,
      request_counts: { total, completed: 1, failed },
    };
    trace.add('retrieveBatch', { path: { batch_id: 'batch_1' } }, { json });
    for (const [file_id, status_code] of [
      ['file-out', 200],
      ['file-err', 400],
    ] as const) {
      const text = lines([{ id: 'r', custom_id: file_id, response: { status_code } }]);
      trace.add('retrieveFileContent', { path: { file_id } }, { text, headers: [] });
    }
    const rule = requirementFromRow('batches.results.failures-counted');
    expect(judgeRequirement(rule, trace.exchanges).violations).toHaveLength(violationCount);
  },
);
