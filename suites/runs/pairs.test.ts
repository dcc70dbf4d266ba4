import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { runsPairSameSteps, runsPairSameText } from './pairs.requirements.ts';
import { textsOf } from './pairs.ts';
import { messageObject, runObject } from './testing/run-events.ts';

const runsPairSameSettings = requirementFromRow('runs.pair.same-settings');
const beta = 'assistants=v2';

function page(...data: readonly Json[]): { readonly json: Json } {
  return { json: { object: 'list', data, has_more: false } };
}

function createRun(id: string, fields: Readonly<Record<string, Json>>): Json {
  return { id, object: 'thread.run', thread_id: `thread_of_${id}`, status: 'completed', ...fields };
}

function traceRuns(plain: readonly string[], streamed: readonly string[]): TraceBuilder {
  const trace = new TraceBuilder();
  const runs = [
    ...plain.map((text) => ({ text, stream: false })),
    ...streamed.map((text) => ({ text, stream: true })),
  ];
  for (const [i, { text, stream }] of runs.entries()) {
    const ids = { id: `run_${i}`, thread_id: `thread_${i}` };
    const created = { event: 'thread.run.created', data: runObject('queued', ids) };
    const ended = { event: 'thread.run.completed', data: runObject('completed', ids) };
    const answer = stream ? { events: [created, ended] } : { json: runObject('queued', ids) };
    trace.add('createThreadAndRun', { body: { assistant_id: 'asst_1', stream }, beta }, answer);
    const query = { run_id: ids.id };
    trace.add(
      'listMessages',
      { path: { thread_id: ids.thread_id }, query },
      page(messageObject('completed', text)),
    );
  }
  return trace;
}

test.each([
  ['equal are no violation', ['a'], ['a'], []],
  ['different, with one each, are inconclusive', ['a'], ['b'], ['model']],
  ['different in several ways are inconclusive', ['a', 'b'], ['c', 'c'], ['model']],
  ['equal at least once are no violation', ['a', 'b'], ['c', 'b'], []],
  ['consistent in each form, but different, are a violation', ['a', 'a'], ['b', 'b'], [undefined]],
])('texts of non-streamed and streamed runs that are %s', (_, plain, streamed, inconclusive) => {
  const { violations } = judgeRequirement(runsPairSameText, traceRuns(plain, streamed).exchanges);
  expect(violations.map((one) => one.inconclusive)).toEqual(inconclusive);
});

test('runs that differ only in their status and text have the same settings', () => {
  const { exchanges } = traceRuns(['a'], ['b']);
  expect(judgeRequirement(runsPairSameSettings, exchanges)).toEqual({ observations: 1, violations: [] });
});

test('runs whose assistant is modified later are not compared', () => {
  const trace = traceRuns(['a', 'a'], ['b', 'b']);
  const modification = { path: { assistant_id: 'asst_1' }, body: { instructions: 'Say b.' }, beta };
  trace.add('modifyAssistant', modification, { json: { id: 'asst_1' } });
  for (const one of [runsPairSameText, runsPairSameSettings])
    expect(judgeRequirement(one, trace.exchanges).observations).toBe(0);
});

test.each([
  ['both forms are compared', [false, true], 1],
  ['only the run without streaming are not compared', [false], 0],
  ['only the streamed run are not compared', [true], 0],
])('steps that are listed for %s', (_, forms, observations) => {
  const trace = traceRuns(['a'], ['a']);
  for (const isStreamed of forms) {
    const n = isStreamed ? 1 : 0;
    const path = { thread_id: `thread_${n}`, run_id: `run_${n}` };
    const step = {
      id: `step_${n}`,
      object: 'thread.run.step',
      status: 'completed',
      type: 'message_creation',
    };
    trace.add('listRunSteps', { path, beta }, page(step));
  }
  const judged = judgeRequirement(runsPairSameSteps, trace.exchanges);
  expect([judged.observations, judged.violations]).toEqual([observations, []]);
});

test('steps are not compared while the last one uses a built-in tool, even after a function call', () => {
  const trace = traceRuns(['a'], ['a']);
  const calls = [{ type: 'function', function: { name: 'weather' } }];
  const called = { type: 'tool_calls', status: 'completed', step_details: { tool_calls: calls } };
  const searching = {
    type: 'tool_calls',
    status: 'in_progress',
    step_details: { tool_calls: [{ type: 'file_search' }] },
  };
  for (const [n, steps] of [[called], [searching, called]].entries()) {
    const path = { thread_id: `thread_${n}`, run_id: `run_${n}` };
    trace.add('listRunSteps', { path, beta }, page(...steps));
  }
  expect(judgeRequirement(runsPairSameSteps, trace.exchanges).observations).toBe(0);
});

test('a setting that one of two runs omits is not compared', () => {
  const violationCounts = [{}, { instructions: 'Be long.' }].map((fields) => {
    const trace = new TraceBuilder();
    const body = { assistant_id: 'asst_1' };
    trace.add('createThreadAndRun', { body }, { json: createRun('run_1', { instructions: null }) });
    const events = [{ event: 'thread.run.completed', data: createRun('run_2', fields) }];
    trace.add('createThreadAndRun', { body: { ...body, stream: true } }, { events });
    return judgeRequirement(runsPairSameSettings, trace.exchanges).violations.length;
  });
  expect(violationCounts).toEqual([0, 1]);
});

test('a model that writes text although a call is forced leaves the comparison inconclusive', () => {
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
    const answer = i > 0 ? { events: [{ event: 'thread.run.completed', data: run }] } : { json: run };
    trace.add('createThreadAndRun', { body }, answer);
    const path = { thread_id: `thread_of_run_${i}`, run_id: `run_${i}` };
    trace.add('listRunSteps', { path }, { json: { data: [step], has_more: false } });
  }
  expect(judgeRequirement(runsPairSameSteps, trace.exchanges).violations).toMatchObject([
    { inconclusive: 'model' },
  ]);
});

function message(role: string, value: string, status = 'completed') {
  return { role, status, content: [{ type: 'text', text: { value, annotations: [] } }] };
}

function readTexts(...elements: ReturnType<typeof message>[]): string | null {
  const trace = new TraceBuilder();
  trace.add('listMessages', {}, { json: { data: [] } });
  const [exchange] = trace.exchanges;
  if (exchange === undefined) throw new Error('the trace is empty');
  return textsOf({ messages: { exchange, elements } });
}

test('the texts of a run are those that it wrote, wherever user messages are listed', () => {
  expect(readTexts(message('assistant', '1, 2'), message('user', 'Count.'))).toBe('1, 2');
  expect(readTexts(message('user', 'Count.', 'in_progress'), message('assistant', '1, 2'))).toBe('1, 2');
});

test('the texts of a run are null if one is incomplete or there is none', () => {
  expect(readTexts(message('assistant', '1,', 'in_progress'))).toBeNull();
  expect(readTexts(message('user', 'Count.'))).toBeNull();
});
