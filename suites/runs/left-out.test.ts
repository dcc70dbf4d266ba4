import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';

import { requirementFromRow } from '../testing/row.ts';

import { runsPairSameSteps } from './pairs.requirements.ts';
import { runsStreamDeltasAreMessage } from './streams.requirements.ts';

const runsPairSameSettings = requirementFromRow('runs.pair.same-settings');
const runStepsSameOutcome = requirementFromRow('run-steps.same.outcome');
const runsMessageStates = requirementFromRow('runs.message.states');
const runsCreateIdUnique = requirementFromRow('runs.create.id-unique');
const createEventStream = (...events: readonly (readonly [event: string, data: Json])[]) => ({
  events: events.map(([event, data]) => ({ event, data })),
});
const createRun = (id: string, fields: Readonly<Record<string, Json>>): Json => ({
  id,
  object: 'thread.run',
  thread_id: `thread_of_${id}`,
  status: 'completed',
  ...fields,
});

test('a part without text need not be present', () => {
  const violationCounts = ['', 'Hello.'].map((value) => {
    const trace = new TraceBuilder();
    const delta = { content: [{ index: 0, type: 'text', text: { value } }] };
    const events = createEventStream(
      ['thread.message.delta', { id: 'msg_1', delta }],
      ['thread.message.completed', { id: 'msg_1', content: [] }],
    );
    trace.add('createRun', { body: { stream: true } }, events);
    return judgeRequirement(runsStreamDeltasAreMessage, trace.exchanges).violations.length;
  });
  expect(violationCounts).toEqual([0, 1]);
});

test('a setting that one of two runs omits is not compared', () => {
  const violationCounts = [{}, { instructions: 'Be long.' }].map((fields) => {
    const trace = new TraceBuilder();
    const body = { assistant_id: 'asst_1' };
    trace.add('createThreadAndRun', { body }, { json: createRun('run_1', { instructions: null }) });
    const events = createEventStream(['thread.run.completed', createRun('run_2', fields)]);
    trace.add('createThreadAndRun', { body: { ...body, stream: true } }, events);
    return judgeRequirement(runsPairSameSettings, trace.exchanges).violations.length;
  });
  expect(violationCounts).toEqual([0, 1]);
});

test('a time that one of two responses omits is not compared', () => {
  const path = { thread_id: 'thread_1', run_id: 'run_1', step_id: 'step_1' };
  const violationCounts = [{}, { completed_at: 4 }].map((fields) => {
    const trace = new TraceBuilder();
    const step = { id: 'step_1', status: 'completed' };
    trace.add('listRunSteps', { path }, { json: { data: [{ ...step, completed_at: 3 }] } });
    trace.add('retrieveRunStep', { path }, { json: { ...step, ...fields } });
    return judgeRequirement(runStepsSameOutcome, trace.exchanges).violations.length;
  });
  expect(violationCounts).toEqual([0, 1]);
});

test('messages and runs of two threads may have the same ids', () => {
  const violationCounts = ['thread_2', 'thread_1'].map((other) => {
    const trace = new TraceBuilder();
    for (const [thread_id, status] of [['thread_1', 'completed'] as const, [other, 'in_progress'] as const]) {
      const path = { thread_id, message_id: 'msg_1' };
      trace.add('createRun', { path }, { json: createRun('run_1', { thread_id }) });
      trace.add('retrieveMessage', { path }, { json: { id: 'msg_1', run_id: 'run_1', status } });
    }
    const results = [
      judgeRequirement(runsMessageStates, trace.exchanges),
      judgeRequirement(runsCreateIdUnique, trace.exchanges),
    ];
    return results.map((one) => one.violations.length);
  });
  expect(violationCounts).toEqual([
    [0, 0],
    [1, 1],
  ]);
});

test('a model that writes text although a call is forced leaves the comparison undecided', () => {
  const trace = new TraceBuilder();
  const tool_choice = { type: 'function', function: { name: 'weather' } };
  const calls = [{ type: 'function', function: { name: 'weather' } }];
  const steps = [
    { type: 'tool_calls', step_details: { tool_calls: calls } },
    { type: 'message_creation', status: 'completed' },
  ];
  for (const [i, step] of steps.entries()) {
    const run = createRun(`run_${i}`, { tools: calls });
    const body = { tool_choice, stream: i > 0 };
    const answer = i > 0 ? createEventStream(['thread.run.completed', run]) : { json: run };
    trace.add('createThreadAndRun', { body }, answer);
    const path = { thread_id: `thread_of_run_${i}`, run_id: `run_${i}` };
    trace.add('listRunSteps', { path }, { json: { data: [step], has_more: false } });
  }
  expect(judgeRequirement(runsPairSameSteps, trace.exchanges).violations).toMatchObject([
    { inconclusive: 'model' },
  ]);
});
