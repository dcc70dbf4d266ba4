import { asWholeList } from '../generate/lists.ts';
import { removeIn, setIn, setValue, withStatusOf } from '../vocabulary/changes.ts';
import { arrayAt, listElements, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { settled, successions, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json, Mutation, Violation } from '../vocabulary/types.ts';
import { type FollowUp, followUps } from './selectors/follow-ups.ts';
import { runResponseOf } from './selectors/run.ts';
import { joinedMessageText } from './streams/deltas.ts';

const { stated, implied } = section('1 Runs');
const LIST = 'listMessages';

const wholeLists = where(followUps([LIST]), asWholeList);

const ofAdditional = that<FollowUp>(
  'of a run with additional_messages',
  ({ begun }) => given(begun.asked, 'additional_messages').length > 0,
);

export const runsAdditionalMessagesInThread = stated('runs.additional-messages.in-thread', {
  says: 'The additional messages of a run are in its thread.',
  selector: where(wholeLists, ofAdditional),
  check: ({ begun, answer }) => missing(given(begun.asked, 'additional_messages'), answer),
  mutations: {
    'none is there': setIn(LIST, '/data', []),
    'one is lost': setIn(LIST, '/data', (all) =>
      arrayAt(all).filter((one) => joinedMessageText(one).includes('second') === false),
    ),
    'other texts': setIn(LIST, '/data/*/content/0/text/value', 'something else'),
    'other roles': setIn(LIST, '/data/*/role', (role) => (role === 'user' ? 'assistant' : 'user')),
  },
});

/** How the sentence of the next requirement can be untrue. */
const runsAdditionalMessagesBeforeTheRunMutations: Readonly<Record<string, Mutation>> = {
  'written before': setIn(LIST, '/data/*', (one) =>
    one === undefined || textAt(one, 'run_id') === undefined
      ? (one ?? null)
      : setValue('/created_at', 1)(one),
  ),
  'added afterwards': setIn(LIST, '/data/*', (one) =>
    one === undefined || textAt(one, 'run_id') !== undefined
      ? (one ?? null)
      : setValue('/created_at', 4_000_000_000)(one),
  ),
};

const ofOwn = that<FollowUp>('with a message of the run', ({ run, answer }) => ofRun(answer, run).length > 0);

export const runsAdditionalMessagesBeforeTheRun = stated('runs.additional-messages.before-the-run', {
  says: 'The additional messages of a run are no later than the messages that it writes.',
  selector: where(wholeLists, ofAdditional, ofOwn),
  check: ({ begun, run, answer }) => {
    const first = Math.min(...ofRun(answer, run).map(({ value }) => numberAt(value, 'created_at') ?? 0));
    return given(begun.asked, 'additional_messages').flatMap((message): Violation[] => {
      // The same may be said again later.
      const said = listElements(answer).filter(({ value }) => isSame(message, value));
      const times = said.map(({ value }) => numberAt(value, 'created_at') ?? 0);
      const [place] = said;
      if (place === undefined || times.some((time) => time <= first)) return [];
      const expected = `at most ${first}, when the run wrote`;
      return [violation(`${place.at}/created_at`, expected, valueAtPath(place.value, 'created_at'))];
    });
  },
  mutations: runsAdditionalMessagesBeforeTheRunMutations,
});

const ofGiven = that<FollowUp>(
  'of a run with messages for its thread',
  ({ begun }) => given(begun.asked, 'thread', 'messages').length > 0,
);

export const runsNewThreadHasMessages = stated('runs.new-thread.has-messages', {
  says: 'A thread that is made with its run has the messages of the request.',
  selector: where(wholeLists, ofGiven),
  check: ({ begun, answer }) => missing(given(begun.asked, 'thread', 'messages'), answer),
  mutations: {
    'none is there': setIn(LIST, '/data', []),
    'one is lost': setIn(LIST, '/data', (all) => arrayAt(all).slice(0, -1)),
    'other texts': setIn(LIST, '/data/*/content/0/text/value', 'something else'),
  },
});

export const runsNewThreadFound = implied('runs.new-thread.found', {
  says: 'A thread that is made with its run is found.',
  selector: where(
    successions({
      first: 'createThreadAndRun',
      later: 'retrieveThread',
      until: ['deleteThread'],
      about: (call) => call.path['thread_id'] ?? textAt(runResponseOf(call)?.runs[0]?.run, 'thread_id'),
    }),
    settled,
  ),
  check: ({ after }) =>
    after.responseClass === 'accepted' ? [] : [violation('status', '2xx', after.status)],
  mutations: {
    'not found': withStatusOf('retrieveThread', 404),
    'turned down': withStatusOf('retrieveThread', 400),
  },
});

export const runsNewThreadAsCreated = implied('runs.new-thread.as-created', {
  spec: '1 Events',
  says: 'A retrieved thread equals the one in thread.created.',
  selector: where(
    followUps(['retrieveThread']),
    that('after thread.created in the stream', (followUp) => createdThread(followUp) !== undefined),
  ),
  check: (followUp) =>
    ['id', 'created_at'].flatMap((field): Violation[] => {
      const expected = valueAtPath(createdThread(followUp), field);
      const actual = valueAtPath(followUp.answer, field);
      if (expected === actual) return [];
      return [violation(`/${field}`, `${JSON.stringify(expected)}, as in thread.created`, actual)];
    }),
  mutations: {
    'another thread': setIn('retrieveThread', '/id', 'thread_other'),
    'another time': setIn('retrieveThread', '/created_at', 1),
    'no time': removeIn('retrieveThread', '/created_at'),
  },
});

/** Messages of a request, as far as their form is known: a role and a text. */
function given(asked: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const messages = arrayAt(asked, ...path);
  const isPlain = (one: Json): boolean =>
    textAt(one, 'role') !== undefined && textAt(one, 'content') !== undefined;
  return messages.every(isPlain) ? messages : [];
}

/** Messages that a list does not contain, each as often as it was given. */
function missing(messages: readonly Json[], answer: Json): Violation[] {
  const left = [...arrayAt(answer, 'data')];
  return messages.flatMap((message): Violation[] => {
    const i = left.findIndex((one) => isSame(message, one));
    if (i !== -1) {
      left.splice(i, 1);
      return [];
    }
    const expected = `a message of ${textAt(message, 'role')}: ${JSON.stringify(textAt(message, 'content'))}`;
    return [violation('/data', expected, arrayAt(answer, 'data').map(joinedMessageText))];
  });
}

function isSame(message: Json, listed: Json): boolean {
  return (
    valueAtPath(message, 'role') === valueAtPath(listed, 'role') &&
    textAt(message, 'content') === joinedMessageText(listed)
  );
}

function ofRun(answer: Json, run: Json) {
  return listElements(answer).filter(({ value }) => valueAtPath(value, 'run_id') === valueAtPath(run, 'id'));
}

function createdThread({ stream }: FollowUp): Json | undefined {
  return stream?.events.find(({ subject }) => subject === 'thread')?.data;
}
