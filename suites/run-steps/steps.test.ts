import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement, takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import {
  functionCallDetails,
  messageRun,
  RUN_USAGE,
  runPath,
  stepObject,
  streamedTrace,
  waitingRun,
} from '../runs/testing/run-events.ts';
import { requirementFromRow } from '../testing/row.ts';
import { runStepsStatusOtherMoves } from './choices.requirements.ts';
import {
  runStepsCallsAsStreamed,
  runStepsListAllOfStream,
  runStepsMessageInThread,
  runStepsSameCalls,
  runStepsSameMetadata,
} from './steps.requirements.ts';

const runStepsListOnlyOfStream = requirementFromRow('run-steps.list.only-of-stream');
const runStepsSameOutcome = requirementFromRow('run-steps.same.outcome');
const runStepsSameIdentity = requirementFromRow('run-steps.same.identity');
const runStepsStatesPath = requirementFromRow('run-steps.states.path');
const completion = { completed_at: 103, usage: RUN_USAGE };
const completedStep = stepObject('step_1', 'completed', completion);

function callStep(status: string, args: string, fields: Readonly<Record<string, Json>> = {}): Json {
  return stepObject('step_1', status, {
    type: 'tool_calls',
    step_details: functionCallDetails(args),
    ...fields,
  });
}

function page(...data: readonly Json[]): { readonly json: Json } {
  return { json: { object: 'list', data, has_more: false } };
}

const stepRequest = { path: { ...runPath, step_id: 'step_1' } };

test('a later response may show a streamed step with further members', () => {
  const trace = streamedTrace(messageRun);
  const usage = { ...RUN_USAGE, prompt_token_details: { cached_tokens: 0 } };
  trace.add('listRunSteps', { path: runPath }, page({ ...Object(completedStep), usage, expires_at: null }));
  trace.add('retrieveRunStep', stepRequest, { json: completedStep });
  for (const requirement of [runStepsSameIdentity, runStepsStatesPath, runStepsSameOutcome]) {
    expect(judgeRequirement(requirement, trace.exchanges)).toEqual({ observations: 2, violations: [] });
  }
});

test.each(['failed', 'cancelled', 'expired'])(
  'a completed step may be %s later, because nothing says otherwise',
  (status) => {
    const trace = streamedTrace(messageRun);
    trace.add('retrieveRunStep', stepRequest, { json: stepObject('step_1', status, completion) });
    expect(judgeRequirement(runStepsStatesPath, trace.exchanges)).toEqual({
      observations: 1,
      violations: [],
    });
    expect(judgeRequirement(runStepsSameOutcome, trace.exchanges).observations).toBe(0);
  },
);

test('a completed step that is in progress again is a violation', () => {
  const trace = streamedTrace(messageRun);
  trace.add('retrieveRunStep', stepRequest, { json: stepObject('step_1', 'in_progress') });
  expect(judgeRequirement(runStepsStatesPath, trace.exchanges).violations).toMatchObject([
    { actual: 'in_progress' },
  ]);
});

test('arguments in progress may grow, but not change', () => {
  const trace = streamedTrace(waitingRun.slice(0, 4), 'client-abort');
  for (const args of ['', '{"city":', '{"city":"Paris"}']) {
    trace.add('retrieveRunStep', stepRequest, { json: callStep('in_progress', args) });
  }
  expect(judgeRequirement(runStepsSameCalls, trace.exchanges)).toEqual({ observations: 2, violations: [] });
  trace.add('retrieveRunStep', stepRequest, { json: callStep('completed', '{"city":"Rome"}', completion) });
  expect(judgeRequirement(runStepsSameCalls, trace.exchanges).violations).toHaveLength(1);
});

test.each([
  [{}, null, 0],
  [null, {}, 0],
  [{ a: '1' }, null, 1],
  [{ a: '1' }, { a: '2' }, 1],
])('a step with the metadata %j, then %j, gives %i violations', (before, now, count) => {
  const trace = new TraceBuilder();
  for (const metadata of [before, now])
    trace.add('retrieveRunStep', stepRequest, { json: stepObject('step_1', 'in_progress', { metadata }) });
  const { observations, violations } = judgeRequirement(runStepsSameMetadata, trace.exchanges);
  expect([observations, violations.length]).toEqual([1, count]);
});

test('joined deltas are compared only if the stream contained all of them', () => {
  const complete = streamedTrace(waitingRun);
  complete.add('retrieveRunStep', stepRequest, { json: callStep('in_progress', '{"city":"Paris"}') });
  expect(judgeRequirement(runStepsCallsAsStreamed, complete.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
  const truncated = streamedTrace(waitingRun.slice(0, 8), 'upstream-reset');
  truncated.add('retrieveRunStep', stepRequest, { json: callStep('in_progress', '{"city":"Paris"}') });
  expect(judgeRequirement(runStepsCallsAsStreamed, truncated.exchanges).observations).toBe(0);
});

test('a run that waited may continue, but one that completed has no further steps', () => {
  const resumed = streamedTrace(waitingRun);
  resumed.add(
    'listRunSteps',
    { path: runPath },
    page(stepObject('step_2', 'completed', completion), callStep('completed', '{}', completion)),
  );
  expect(judgeRequirement(runStepsListOnlyOfStream, resumed.exchanges).observations).toBe(0);
  expect(judgeRequirement(runStepsListAllOfStream, resumed.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
  const completed = streamedTrace(messageRun);
  completed.add(
    'listRunSteps',
    { path: runPath },
    page(stepObject('step_2', 'completed', completion), completedStep),
  );
  expect(judgeRequirement(runStepsListOnlyOfStream, completed.exchanges).violations).toMatchObject([
    { at: '/data/0/id', actual: 'step_2' },
  ]);
});

const messageRequest = { path: { thread_id: 'thread_1' } };

test('the message of a step is searched for in complete lists that began after the steps were shown', () => {
  const trace = streamedTrace(messageRun);
  trace.add('listRunSteps', { path: runPath }, page(completedStep));
  trace.add('listMessages', { ...messageRequest, after: 1 }, page());
  trace.add('listMessages', { ...messageRequest, query: { run_id: 'run_1' } }, page());
  trace.add('listMessages', messageRequest, { json: { object: 'list', data: [], has_more: true } });
  expect(judgeRequirement(runStepsMessageInThread, trace.exchanges).observations).toBe(0);
  trace.add('listMessages', messageRequest, page({ id: 'msg_1', run_id: 'run_1' }));
  expect(judgeRequirement(runStepsMessageInThread, trace.exchanges)).toEqual({
    observations: 1,
    violations: [],
  });
});

test('the message of a step without the id of its run is a violation', () => {
  const trace = streamedTrace(messageRun);
  trace.add('listRunSteps', { path: runPath }, page(completedStep));
  trace.add('listMessages', messageRequest, page({ id: 'msg_1', run_id: null }));
  expect(judgeRequirement(runStepsMessageInThread, trace.exchanges).violations).toMatchObject([
    { actual: null },
  ]);
});

test.each([
  ['in_progress', 'failed', ['in_progress to failed']],
  [undefined, 'failed', []],
  ['in_progress', undefined, []],
])('a step with the status %s, then %s, shows the transitions %j', (from, to, moves) => {
  const trace = new TraceBuilder();
  for (const status of [from, to])
    trace.add('retrieveRunStep', stepRequest, {
      json: { id: 'step_1', object: 'thread.run.step', ...(status && { status }) },
    });
  expect(takenAlternatives(runStepsStatusOtherMoves, trace.exchanges)).toEqual(moves);
});
