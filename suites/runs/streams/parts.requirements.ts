// Steps and the messages that they write: in a stream, neither is without the other.

import { setValue } from '../../vocabulary/changes.ts';
import { textAt } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Violation } from '../../vocabulary/types.ts';
import { dropRunEvents, editRunEvents } from './mutations.ts';
import {
  COMPLETED,
  type RunStream,
  runStreams,
  runStreamsWith,
  type StreamedObject,
  withMessage,
} from './run-stream.ts';

const { implied } = section('1 Message created by a run');

export const runsStreamMessageHasStep = implied('runs.stream.message-has-step', {
  says: 'Every message that a completed run writes is that of one of its steps.',
  selector: where(runStreamsWith(COMPLETED), withMessage),
  check: (stream) => {
    const named = stream.steps.map(messageIdOf);
    return stream.messages
      .filter(({ id }) => !named.includes(id))
      .map((message) => objection(message, 'a step that writes this message'));
  },
  mutations: {
    'no step for it': dropRunEvents((frames) =>
      frames.flatMap(({ event }, i) => (event.startsWith('thread.run.step.') ? [i] : [])),
    ),
    'the step names another': editRunEvents(
      (frames) => frames.flatMap(({ event }, i) => (event.startsWith('thread.run.step.') ? [i] : [])),
      setValue('/step_details/message_creation/message_id', 'msg_other'),
    ),
  },
});

const withWritingStep = that<RunStream>('with a completed step that names a message', ({ steps }) =>
  steps.some((step) => completes(step) && messageIdOf(step) !== undefined),
);

export const runsStreamStepHasMessage = implied('runs.stream.step-has-message', {
  says: 'Every completed step that writes a message has its message in the stream, too.',
  selector: where(runStreams, withWritingStep),
  check: ({ steps, messages }) =>
    steps
      .filter((step) => completes(step) && messageIdOf(step) !== undefined)
      .filter((step) => !messages.some(({ id }) => id === messageIdOf(step)))
      .map((step) => objection(step, `the message ${messageIdOf(step)}`)),
  mutations: {
    'another message': editRunEvents(
      (frames) => frames.flatMap(({ event }, i) => (event.startsWith('thread.message.') ? [i] : [])),
      setValue('/id', 'msg_other'),
    ),
    'no message': dropRunEvents((frames) =>
      frames.flatMap(({ event }, i) => (event.startsWith('thread.message.') ? [i] : [])),
    ),
  },
});

/** Whether an event of the stream completes the object. */
function completes({ events }: StreamedObject): boolean {
  return events.some(({ verb }) => verb === 'completed');
}

/** The message that a step writes, as any of its events names it. */
function messageIdOf({ events }: StreamedObject): string | undefined {
  const named = events.map(({ data }) => textAt(data, 'step_details', 'message_creation', 'message_id'));
  return named.find((id) => id !== undefined);
}

/** A violation at the first event of an object. */
function objection({ id, events: [first] }: StreamedObject, expected: string): Violation {
  return violation(first?.at ?? '', expected, `${first?.name} ${id}`);
}
