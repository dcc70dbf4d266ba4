import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import {
  runsAdditionalInstructionsTold,
  runsNewThreadMessageFields,
  runsStatusOtherMoves,
  runsStreamAnnotationsInDeltas,
  runsStreamOutputInDeltas,
} from './choices.requirements.ts';
import {
  messageObject,
  messageRun,
  type RunEventSketch,
  runObject,
  streamedTrace,
} from './testing/run-events.ts';

const created: RunEventSketch = { event: 'thread.run.created', data: runObject('queued') };

function messageDelta(part: Readonly<Record<string, Json>>): RunEventSketch {
  const delta = { content: [{ index: 0, ...part }] };
  return { event: 'thread.message.delta', data: { id: 'msg_1', object: 'thread.message.delta', delta } };
}

test.each([
  [{ type: 'text', text: { value: 'a', annotations: [] } }, ['every one']],
  [{ type: 'text', text: { value: 'a' } }, ['none']],
  [{ type: 'image_file', image_file: { file_id: 'file-1' } }, []],
])('a stream whose only delta is %j shows the alternatives %j on annotations', (part, alternatives) => {
  const { exchanges } = streamedTrace([created, messageDelta(part)]);
  expect(takenAlternatives(runsStreamAnnotationsInDeltas, exchanges)).toEqual(alternatives);
});

test('the output of parallel calls is in the first chunk if the first chunk of each has it', () => {
  const callDelta = (index: number, fields: Readonly<Record<string, Json>>): RunEventSketch => {
    const step_details = { type: 'tool_calls', tool_calls: [{ index, type: 'function', function: fields }] };
    return { event: 'thread.run.step.delta', data: { id: 'step_1', delta: { step_details } } };
  };
  const chunks = [0, 1].flatMap((index) => [
    callDelta(index, { name: 'look_up', arguments: '', output: null }),
    callDelta(index, { arguments: '{}' }),
  ]);
  const { exchanges } = streamedTrace([created, ...chunks]);
  expect(takenAlternatives(runsStreamOutputInDeltas, exchanges)).toEqual(['the first']);
});

test('a transition is named after both states, whatever they contain', () => {
  const states = ['ready to go', 'stopped'].map((status) => ({
    event: 'thread.run.updated',
    data: runObject(status),
  }));
  const { exchanges } = streamedTrace(states);
  expect(takenAlternatives(runsStatusOtherMoves, exchanges)).toEqual(['ready to go to stopped']);
});

test('additional instructions are told even without the white space around them', () => {
  const trace = new TraceBuilder();
  const body = { assistant_id: 'asst_1', additional_instructions: 'Use capitals.\n' };
  const instructions = 'Be brief. Use capitals.';
  trace.add('createRun', { body }, { json: runObject('queued', { instructions }) });
  expect(takenAlternatives(runsAdditionalInstructionsTold, trace.exchanges)).toEqual(['told']);
});

test('the metadata of a message is kept if one of two messages with the same text has it', () => {
  const metadata = { key: 'a' };
  const messages = [
    { role: 'user', content: 'Hello.' },
    { role: 'user', content: 'Hello.', metadata },
  ];
  const trace = streamedTrace(messageRun, 'complete', { thread: { messages } });
  const data = [{}, metadata].map((one, i) =>
    messageObject('completed', 'Hello.', { id: `msg_${i}`, role: 'user', metadata: one }),
  );
  trace.add('listMessages', { path: { thread_id: 'thread_1' } }, { json: { data, has_more: false } });
  expect(takenAlternatives(runsNewThreadMessageFields, trace.exchanges)).toEqual(['kept']);
});
