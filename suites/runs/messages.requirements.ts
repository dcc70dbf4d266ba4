import type { Json } from '../../exchange/body.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { inObjects, named, retold } from './breaking.ts';
import { textOf } from './deltas.ts';
import { type Look, looks } from './looks.ts';
import {
  givenMessages,
  LIST,
  messageAnswers,
  messageReturns,
  type PlacedMessage,
  placed,
  RETRIEVE,
} from './messages.ts';

const SPEC = '1 Message';
const STATES = '1 Message created by a run';

export const states = requirement({
  id: 'runs.message.states',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'A completed message of a run is never in progress again.',
  on: only(messageReturns, ({ earlier }) => get(earlier.value, 'status') === 'completed'),
  check: ({ later }) =>
    // Where else a message may go from here is not shown.
    get(later.value, 'status') === 'in_progress'
      ? [{ at: `${later.at}/status`, expected: 'completed, as it was', actual: 'in_progress' }]
      : [],
  breaks: {
    'in progress again in the list': inAnswer(LIST, put('/data/*/status', 'in_progress')),
    'in progress again': inAnswer(RETRIEVE, put('/status', 'in_progress')),
  },
});

export const ofRun = requirement({
  id: 'runs.message.of-run',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A message that a run wrote is of an assistant, that of the run, and on its thread.',
  on: only(looks([LIST, RETRIEVE]), (look) => own(look).length > 0),
  check: (look) =>
    own(look).flatMap((message) => [
      ...otherwise(message, 'role', 'assistant'),
      ...otherwise(message, 'assistant_id', text(look.run, 'assistant_id')),
      ...otherwise(message, 'thread_id', text(look.run, 'thread_id')),
    ]),
  breaks: {
    'of a user': inAnswer(LIST, put('/data/*/role', 'user')),
    'of no assistant': inAnswer(RETRIEVE, put('/assistant_id', null)),
    'of another assistant': inAnswer(LIST, put('/data/*/assistant_id', 'asst_other')),
    'on another thread': inAnswer(RETRIEVE, put('/thread_id', 'thread_other')),
  },
});

export const incompleteAt = requirement({
  id: 'runs.message.incomplete-at-set',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Common shapes',
  says: 'A message that a stream tells to be incomplete tells when it became so.',
  // The event has no stated name; where a message is looked at, its schema says so.
  on: only(
    inState('incomplete'),
    ({ exchanges: [one] }) => one !== undefined && one.request.method === 'POST',
  ),
  check: ({ messages }) =>
    messages
      .filter(({ value }) => get(value, 'status') === 'incomplete')
      .filter(({ value }) => !Number.isInteger(get(value, 'incomplete_at')))
      .map(({ at, value }) => ({
        at: `${at}/incomplete_at`,
        expected: 'a time',
        actual: get(value, 'incomplete_at'),
      })),
  breaks: {
    'no time': inObjects('thread.message', put('/incomplete_at', null)),
    absent: inObjects('thread.message', remove('/incomplete_at')),
  },
});

export const noOtherEnd = requirement({
  id: 'runs.message.completed-has-no-other-end',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A completed message of a run is not incomplete at any time, nor for any reason.',
  on: inState('completed'),
  check: ({ messages }) =>
    messages
      .filter(({ value }) => get(value, 'status') === 'completed')
      .flatMap((message) => ['incomplete_at', 'incomplete_details'].flatMap((field) => set(message, field))),
  breaks: {
    'a time': retold(named('thread.message.completed'), put('/incomplete_at', 1)),
    'a time in the list': inAnswer(LIST, put('/data/*/incomplete_at', 1)),
    'a reason': inAnswer(RETRIEVE, put('/incomplete_details', { reason: 'max_tokens' })),
  },
});

/** Answers that tell a message of a run in this state. */
function inState(state: string) {
  return only(messageAnswers(), ({ messages }) =>
    messages.some(({ value }) => get(value, 'status') === state),
  );
}

/** The messages of an answer that the run wrote: those that have its id, but for what came with its request. */
function own({ after, run, begun }: Look): readonly PlacedMessage[] {
  const id = text(run, 'id');
  const given = givenMessages(begun.asked);
  if (given.some((message) => text(message, 'content') === undefined)) return [];
  const texts = given.map((message) => text(message, 'content'));
  return placed(after).filter(
    ({ value }) => id !== undefined && get(value, 'run_id') === id && !texts.includes(textOf(value)),
  );
}

function otherwise({ at, value }: PlacedMessage, field: string, expected: Json | undefined): Complaint[] {
  const actual = get(value, field);
  return actual === expected
    ? []
    : [{ at: `${at}/${field}`, expected: `${JSON.stringify(expected)}, as of its run`, actual }];
}

function set({ at, value }: PlacedMessage, field: string): Complaint[] {
  const actual = get(value, field) ?? null;
  return actual === null ? [] : [{ at: `${at}/${field}`, expected: 'null', actual }];
}
