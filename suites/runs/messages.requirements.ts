import { removeValue, setIn, setValue } from '../vocabulary/changes.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json, Violation } from '../vocabulary/types.ts';
import { type FollowUp, followUps } from './selectors/follow-ups.ts';
import {
  givenMessages,
  LIST_MESSAGES,
  messageResponses,
  type PlacedMessage,
  placedMessages,
  RETRIEVE_MESSAGE,
  repeatedMessages,
} from './selectors/messages.ts';
import { wasCompleted } from './selectors/repeated-objects.ts';
import { joinedMessageText } from './streams/deltas.ts';
import { editStreamedObjects, setInRunEvents } from './streams/mutations.ts';

const { stated, implied } = section('1 Message');
const STATES = '1 Message created by a run';

export const runsMessageStates = implied('runs.message.states', {
  spec: STATES,
  says: 'A completed message of a run is never in progress again.',
  selector: where(repeatedMessages, wasCompleted),
  check: ({ later }) =>
    // Where else a message may go from here is not shown.
    valueAtPath(later.value, 'status') === 'in_progress'
      ? [violation(`${later.at}/status`, 'completed, as it was', 'in_progress')]
      : [],
  mutations: {
    'in progress again in the list': setIn(LIST_MESSAGES, '/data/*/status', 'in_progress'),
    'in progress again': setIn(RETRIEVE_MESSAGE, '/status', 'in_progress'),
  },
});

const withOwn = that<FollowUp>('with a message that the run wrote', (followUp) => own(followUp).length > 0);

export const runsMessageOfRun = stated('runs.message.of-run', {
  says: 'A message that a run wrote is of an assistant, that of the run, and on its thread.',
  selector: where(followUps([LIST_MESSAGES, RETRIEVE_MESSAGE]), withOwn),
  check: (followUp) =>
    own(followUp).flatMap((message) => [
      ...otherwise(message, 'role', 'assistant'),
      ...otherwise(message, 'assistant_id', textAt(followUp.run, 'assistant_id')),
      ...otherwise(message, 'thread_id', textAt(followUp.run, 'thread_id')),
    ]),
  mutations: {
    'of a user': setIn(LIST_MESSAGES, '/data/*/role', 'user'),
    'of no assistant': setIn(RETRIEVE_MESSAGE, '/assistant_id', null),
    'of another assistant': setIn(LIST_MESSAGES, '/data/*/assistant_id', 'asst_other'),
    'on another thread': setIn(RETRIEVE_MESSAGE, '/thread_id', 'thread_other'),
  },
});

export const runsMessageIncompleteAtSet = stated('runs.message.incomplete-at-set', {
  spec: '1 Common shapes',
  says: 'A message that a stream reports as incomplete shows when it became so.',
  // The event has no stated name; where a message is looked at, its schema says so.
  selector: where(
    inState('incomplete'),
    ({ exchanges: [one] }) => one !== undefined && one.request.method === 'POST',
  ),
  check: ({ messages }) =>
    messages
      .filter(({ value }) => valueAtPath(value, 'status') === 'incomplete')
      .filter(({ value }) => !Number.isInteger(valueAtPath(value, 'incomplete_at')))
      .map(({ at, value }) =>
        violation(`${at}/incomplete_at`, 'a time', valueAtPath(value, 'incomplete_at')),
      ),
  mutations: {
    'no time': editStreamedObjects('thread.message', setValue('/incomplete_at', null)),
    absent: editStreamedObjects('thread.message', removeValue('/incomplete_at')),
  },
});

export const runsMessageCompletedHasNoOtherEnd = implied('runs.message.completed-has-no-other-end', {
  says: 'A completed message of a run is not incomplete at any time, nor for any reason.',
  selector: inState('completed'),
  check: ({ messages }) =>
    messages
      .filter(({ value }) => valueAtPath(value, 'status') === 'completed')
      .flatMap((message) => ['incomplete_at', 'incomplete_details'].flatMap((field) => set(message, field))),
  mutations: {
    'a time': setInRunEvents('thread.message.completed', '/incomplete_at', 1),
    'a time in the list': setIn(LIST_MESSAGES, '/data/*/incomplete_at', 1),
    'a reason': setIn(RETRIEVE_MESSAGE, '/incomplete_details', { reason: 'max_tokens' }),
  },
});

/** Responses that contain a message of a run in this state. */
function inState(state: string) {
  return where(
    messageResponses,
    that(`with status ${state}`, ({ messages }) =>
      messages.some(({ value }) => valueAtPath(value, 'status') === state),
    ),
  );
}

/** The messages of an answer that the run wrote: those that have its id, but for what came with its request. */
function own({ after, run, begun }: FollowUp): readonly PlacedMessage[] {
  const id = textAt(run, 'id');
  const given = givenMessages(begun.asked);
  if (given.some((message) => textAt(message, 'content') === undefined)) return [];
  const texts = given.map((message) => textAt(message, 'content'));
  return placedMessages(after).filter(
    ({ value }) =>
      id !== undefined && valueAtPath(value, 'run_id') === id && !texts.includes(joinedMessageText(value)),
  );
}

function otherwise({ at, value }: PlacedMessage, field: string, expected: Json | undefined): Violation[] {
  const actual = valueAtPath(value, field);
  return actual === expected
    ? []
    : [violation(`${at}/${field}`, `${JSON.stringify(expected)}, as of its run`, actual)];
}

function set({ at, value }: PlacedMessage, field: string): Violation[] {
  const actual = valueAtPath(value, field) ?? null;
  return actual === null ? [] : [violation(`${at}/${field}`, 'null', actual)];
}
