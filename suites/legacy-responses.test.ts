// Legacy responses are judged like those of the beta form, but need not have the fields that only that form has.
import { expect, test } from 'vitest';
import type { Json } from '../exchange/http/body.ts';
import { brokenIds, judgeServiceTraffic, type Sketch } from './testing/service-traffic.ts';

const createRun = (more: object = {}): Json => ({
  id: 'run_1',
  object: 'thread.run',
  created_at: 1_699_063_290,
  assistant_id: 'asst_1',
  thread_id: 'thread_1',
  status: 'queued',
  started_at: null,
  expires_at: 1_699_063_890,
  cancelled_at: null,
  failed_at: null,
  completed_at: null,
  last_error: null,
  model: 'm',
  instructions: null,
  tools: [],
  metadata: {},
  usage: null,
  ...more,
});
const sketchCreation = (beta: 'v1' | 'v2', more: object = {}): Sketch => ({
  call: 'POST /v1/threads/thread_1/runs',
  beta,
  sent: { assistant_id: 'asst_1', temperature: 0.5 },
  answer: createRun(more),
});
const listBroken = async (sketch: Sketch) => brokenIds(await judgeServiceTraffic([sketch], null));

test('a run of the legacy form need not show its settings, but those that it shows are judged', async () => {
  expect(await listBroken(sketchCreation('v1'))).toEqual([]);
  expect(await listBroken(sketchCreation('v1', { temperature: 1 }))).toEqual(['runs.overrides.temperature']);
  expect(await listBroken(sketchCreation('v1', { tool_choice: 'none' }))).toEqual([
    'runs.defaults.tool-choice',
  ]);
});

test('a run of the legacy form may call the search tool retrieval', async () => {
  const tools = [{ type: 'code_interpreter' }, { type: 'file_search' }];
  const sent = { assistant_id: 'asst_1', tools };
  const brokenWith = (beta: 'v1' | 'v2', ...types: readonly string[]) =>
    listBroken({ ...sketchCreation(beta, { tools: types.map((type) => ({ type })) }), sent });
  expect(await brokenWith('v1', 'code_interpreter', 'retrieval')).toEqual([]);
  expect(await brokenWith('v1', 'retrieval')).toEqual(['runs.overrides.tools']);
  expect(await brokenWith('v2', 'code_interpreter', 'retrieval')).toContain('runs.overrides.tools');
});

test('a run of the beta form has to show its settings', async () => {
  expect(await listBroken(sketchCreation('v2'))).toEqual(
    expect.arrayContaining(['runs.overrides.temperature', 'thread.run:tool_choice#required']),
  );
});

test('legacy responses are judged by their schemas: runs, threads and steps', async () => {
  expect(
    await listBroken(sketchCreation('v1', { created_at: 'now', tools: [{ type: 'retrieval' }] })),
  ).toEqual(['thread.run:created_at#type']);
  const { model: _, ...withoutModel } = Object(createRun());
  expect(await listBroken({ ...sketchCreation('v1'), answer: withoutModel })).toEqual([
    'thread.run:model#required',
  ]);
  const thread = { id: 'thread_1', object: 'thread', created_at: 1_699_063_290, metadata: {} };
  const sketchRead = (answer: Json): Sketch => ({ call: 'GET /v1/threads/thread_1', beta: 'v1', answer });
  expect(await listBroken(sketchRead(thread))).toEqual([]);
  expect(await listBroken(sketchRead({ ...thread, object: 'conversation' }))).toEqual([
    'thread:object#const',
  ]);
  const steps = { object: 'list', data: [{ id: 'step_1', object: 'thread.run.step' }], has_more: false };
  const list: Sketch = { call: 'GET /v1/threads/thread_1/runs/run_1/steps', beta: 'v1', answer: steps };
  expect(await listBroken(list)).toContain('thread.run.step:status#required');
});

test('a response of the legacy form is no evidence for fields that only the beta form has', async () => {
  const verdicts = (await judgeServiceTraffic([sketchCreation('v1')], null)).requirements;
  const verdictOf = (id: string) => verdicts.find((one) => one.id === id)?.verdict;
  expect(verdictOf('thread.run:tool_resources#required')).toBe('untested');
  expect(verdictOf('thread.run:status#type')).toBe('pass');
});
