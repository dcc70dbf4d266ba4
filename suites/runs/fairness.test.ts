import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { runsStreamDeltasAreMessage } from './streams.requirements.ts';

const runStepsSameOutcome = requirementFromRow('run-steps.same.outcome');
const runsMessageStates = requirementFromRow('runs.message.states');
const runsCreateIdUnique = requirementFromRow('runs.create.id-unique');

function createEventStream(...events: readonly (readonly [event: string, data: Json])[]) {
  return { events: events.map(([event, data]) => ({ event, data })) };
}

function createRun(id: string, fields: Readonly<Record<string, Json>>): Json {
  return { id, object: 'thread.run', thread_id: `thread_of_${id}`, status: 'completed', ...fields };
}

test('a completed message may omit a streamed part whose text is empty', () => {
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
