import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { requirementFromRow } from '../testing/row.ts';
import { messageObject, type RunEventSketch, runObject, streamedTrace } from './testing/run-events.ts';

const CREATED: RunEventSketch = { event: 'thread.run.created', data: runObject('queued') };
const COMPLETED: RunEventSketch = {
  event: 'thread.message.completed',
  data: messageObject('completed', 'Hello.'),
};
const UNLISTED: RunEventSketch = {
  event: 'thread.message.updated',
  data: messageObject('in_progress', 'Hel'),
};

test.for<readonly [string, number, readonly RunEventSketch[]]>([
  ['listed after an unlisted one', 1, [UNLISTED, COMPLETED]],
  ['unlisted after a listed one', 0, [COMPLETED, UNLISTED]],
])('a streamed message has the state of its last event: %s', ([, observations, events]) => {
  const trace = streamedTrace([CREATED, ...events]);
  const path = { thread_id: 'thread_1', message_id: 'msg_1' };
  trace.add('retrieveMessage', { path }, { json: messageObject('in_progress', 'Hel') });
  // Only messages whose first state is completed are evidence.
  const result = judgeRequirement(requirementFromRow('runs.message.states'), trace.exchanges);
  expect(result).toMatchObject({ observations, violations: { length: observations } });
});
