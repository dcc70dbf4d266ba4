import { expect, test } from 'vitest';
import type { Json } from '../../exchange/body.ts';
import { hear } from '../../judge/testing/hear.ts';
import { calls as made, path, speaking, step, streamed, USAGE, waiting } from '../runs/testing/told.ts';
import { calls, sameStep, path as states, stays } from './history.requirements.ts';
import { allListed, callsStored, messageExists, noOthers } from './stored.requirements.ts';

const told = { completed_at: 103, usage: USAGE };
const written = step('step_1', 'completed', told);

function called(status: string, given: string, fields: Readonly<Record<string, Json>> = {}): Json {
  return step('step_1', status, { type: 'tool_calls', step_details: made(given), ...fields });
}

function page(...data: readonly Json[]): { readonly json: Json } {
  return { json: { object: 'list', data, has_more: false } };
}

const one = { path: { ...path, step_id: 'step_1' } };

test('a step is told as it was streamed, with whatever is new about it', () => {
  const trace = streamed(speaking);
  const usage = { ...USAGE, prompt_token_details: { cached_tokens: 0 } };
  trace.add('listRunSteps', { path }, page({ ...Object(written), usage, expires_at: null }));
  trace.add('retrieveRunStep', one, { json: written });
  for (const requirement of [sameStep, states, stays]) {
    expect(hear(requirement, trace.exchanges)).toEqual({ observations: 2, complaints: [] });
  }
});

test.each(['failed', 'cancelled', 'expired'])(
  'a completed step may be %s later on, nothing says otherwise',
  (status) => {
    const trace = streamed(speaking);
    trace.add('retrieveRunStep', one, { json: step('step_1', status, told) });
    expect(hear(states, trace.exchanges)).toEqual({ observations: 1, complaints: [] });
    expect(hear(stays, trace.exchanges).observations).toBe(0);
  },
);

test('a completed step that is in progress again is accused', () => {
  const trace = streamed(speaking);
  trace.add('retrieveRunStep', one, { json: step('step_1', 'in_progress') });
  expect(hear(states, trace.exchanges).complaints).toMatchObject([{ actual: 'in_progress' }]);
});

test('arguments that are on their way may grow, but not change', () => {
  const trace = streamed(waiting.slice(0, 4), 'client-abort');
  for (const given of ['', '{"city":', '{"city":"Paris"}']) {
    trace.add('retrieveRunStep', one, { json: called('in_progress', given) });
  }
  expect(hear(calls, trace.exchanges)).toEqual({ observations: 2, complaints: [] });
  trace.add('retrieveRunStep', one, { json: called('completed', '{"city":"Rome"}', told) });
  expect(hear(calls, trace.exchanges).complaints).toHaveLength(1);
});

test('joined deltas are compared only where the stream told all of them', () => {
  const whole = streamed(waiting);
  whole.add('retrieveRunStep', one, { json: called('in_progress', '{"city":"Paris"}') });
  expect(hear(callsStored, whole.exchanges)).toEqual({ observations: 1, complaints: [] });
  const cut = streamed(waiting.slice(0, 8), 'upstream-reset');
  cut.add('retrieveRunStep', one, { json: called('in_progress', '{"city":"Paris"}') });
  expect(hear(callsStored, cut.exchanges).observations).toBe(0);
});

test('a run that waited may go on, one that completed has no further steps', () => {
  const resumed = streamed(waiting);
  resumed.add(
    'listRunSteps',
    { path },
    page(step('step_2', 'completed', told), called('completed', '{}', told)),
  );
  expect(hear(noOthers, resumed.exchanges).observations).toBe(0);
  expect(hear(allListed, resumed.exchanges)).toEqual({ observations: 1, complaints: [] });
  const over = streamed(speaking);
  over.add('listRunSteps', { path }, page(step('step_2', 'completed', told), written));
  expect(hear(noOthers, over.exchanges).complaints).toMatchObject([{ at: '/data/0/id', actual: 'step_2' }]);
});

test('the message of a step is looked for in whole lists that began after the steps were told', () => {
  const trace = streamed(speaking);
  trace.add('listRunSteps', { path }, page(written));
  const messages = { path: { thread_id: 'thread_1' } };
  trace.add('listMessages', { ...messages, after: 1 }, page());
  trace.add('listMessages', { ...messages, query: { run_id: 'run_1' } }, page());
  expect(hear(messageExists, trace.exchanges).observations).toBe(0);
  trace.add('listMessages', messages, page({ id: 'msg_1', run_id: 'run_1' }));
  expect(hear(messageExists, trace.exchanges)).toEqual({ observations: 1, complaints: [] });
  trace.add('listMessages', messages, page({ id: 'msg_1', run_id: null }));
  expect(hear(messageExists, trace.exchanges).complaints).toMatchObject([{ actual: null }]);
});
