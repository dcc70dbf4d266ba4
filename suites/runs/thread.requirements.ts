import type { Json } from '../../exchange/body.ts';
import { inAnswer, status } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { elements, get, list, number, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { isWholeList } from '../generate/lists/whole.ts';
import { textOf } from './deltas.ts';
import { type Look, looks } from './looks.ts';
import { runAnswerOf } from './run.ts';

const RUNS = '1 Runs';
const LIST = 'listMessages';

const wholeLists = only(looks([LIST]), ({ after }) => isWholeList(after));

export const additionalMessages = requirement({
  id: 'runs.additional-messages.in-thread',
  level: 'MUST',
  basis: 'stated',
  spec: RUNS,
  says: 'The additional messages of a run are in its thread.',
  on: only(wholeLists, ({ begun }) => given(begun.asked, 'additional_messages').length > 0),
  check: ({ begun, answer }) => missing(given(begun.asked, 'additional_messages'), answer),
  breaks: {
    'none is there': inAnswer(LIST, put('/data', [])),
    'one is lost': inAnswer(
      LIST,
      put('/data', (all) => list(all).filter((one) => textOf(one).includes('second') === false)),
    ),
    'other texts': inAnswer(LIST, put('/data/*/content/0/text/value', 'something else')),
    'other roles': inAnswer(
      LIST,
      put('/data/*/role', (role) => (role === 'user' ? 'assistant' : 'user')),
    ),
  },
});

export const additionalBefore = requirement({
  id: 'runs.additional-messages.before-the-run',
  level: 'MUST',
  basis: 'stated',
  spec: RUNS,
  says: 'The additional messages of a run are no later than the messages that it writes.',
  on: only(
    wholeLists,
    ({ begun, run, answer }) =>
      given(begun.asked, 'additional_messages').length > 0 && ofRun(answer, run).length > 0,
  ),
  check: ({ begun, run, answer }) => {
    const first = Math.min(...ofRun(answer, run).map(({ value }) => number(value, 'created_at') ?? 0));
    return given(begun.asked, 'additional_messages').flatMap((message): Complaint[] => {
      // The same may be said again later.
      const said = elements(answer).filter(({ value }) => isSame(message, value));
      const times = said.map(({ value }) => number(value, 'created_at') ?? 0);
      const [place] = said;
      if (place === undefined || times.some((time) => time <= first)) return [];
      const expected = `at most ${first}, when the run wrote`;
      return [{ at: `${place.at}/created_at`, expected, actual: get(place.value, 'created_at') }];
    });
  },
  breaks: {
    'written before': inAnswer(
      LIST,
      put('/data/*', (one) =>
        one === undefined || text(one, 'run_id') === undefined ? (one ?? null) : put('/created_at', 1)(one),
      ),
    ),
    'added afterwards': inAnswer(
      LIST,
      put('/data/*', (one) =>
        one === undefined || text(one, 'run_id') !== undefined
          ? (one ?? null)
          : put('/created_at', 4_000_000_000)(one),
      ),
    ),
  },
});

export const newMessages = requirement({
  id: 'runs.new-thread.has-messages',
  level: 'MUST',
  basis: 'stated',
  spec: RUNS,
  says: 'A thread that is made with its run has the messages of the request.',
  on: only(wholeLists, ({ begun }) => given(begun.asked, 'thread', 'messages').length > 0),
  check: ({ begun, answer }) => missing(given(begun.asked, 'thread', 'messages'), answer),
  breaks: {
    'none is there': inAnswer(LIST, put('/data', [])),
    'one is lost': inAnswer(
      LIST,
      put('/data', (all) => list(all).slice(0, -1)),
    ),
    'other texts': inAnswer(LIST, put('/data/*/content/0/text/value', 'something else')),
  },
});

export const found = requirement({
  id: 'runs.new-thread.found',
  level: 'MUST',
  basis: 'implied',
  spec: RUNS,
  says: 'A thread that is made with its run is found.',
  on: only(
    successions({
      first: 'createThreadAndRun',
      later: 'retrieveThread',
      until: ['deleteThread'],
      about: (call) => call.path['thread_id'] ?? text(runAnswerOf(call)?.runs[0]?.run, 'thread_id'),
    }),
    ({ after }) => ['accepted', 'absent', 'rejected'].includes(after.outcome),
  ),
  check: ({ after }) =>
    after.outcome === 'accepted' ? [] : [{ at: 'status', expected: '2xx', actual: after.status }],
  breaks: { 'not found': status('retrieveThread', 404), 'turned down': status('retrieveThread', 400) },
});

export const asCreated = requirement({
  id: 'runs.new-thread.as-created',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Events',
  says: 'A thread is retrieved as thread.created told it.',
  on: only(looks(['retrieveThread']), (look) => createdThread(look) !== undefined),
  check: (look) =>
    ['id', 'created_at'].flatMap((field): Complaint[] => {
      const expected = get(createdThread(look), field);
      const actual = get(look.answer, field);
      if (expected === actual) return [];
      return [{ at: `/${field}`, expected: `${JSON.stringify(expected)}, as thread.created told`, actual }];
    }),
  breaks: {
    'another thread': inAnswer('retrieveThread', put('/id', 'thread_other')),
    'another time': inAnswer('retrieveThread', put('/created_at', 1)),
    'no time': inAnswer('retrieveThread', remove('/created_at')),
  },
});

/** Messages of a request, as far as their form is known: a role and a text. */
function given(asked: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const messages = list(asked, ...path);
  const isPlain = (one: Json): boolean =>
    text(one, 'role') !== undefined && text(one, 'content') !== undefined;
  return messages.every(isPlain) ? messages : [];
}

/** Messages that a list does not tell, each as often as it was given. */
function missing(messages: readonly Json[], answer: Json): Complaint[] {
  const left = [...list(answer, 'data')];
  return messages.flatMap((message): Complaint[] => {
    const i = left.findIndex((one) => isSame(message, one));
    if (i !== -1) {
      left.splice(i, 1);
      return [];
    }
    const expected = `a message of ${text(message, 'role')}: ${JSON.stringify(text(message, 'content'))}`;
    return [{ at: '/data', expected, actual: list(answer, 'data').map(textOf) }];
  });
}

function isSame(message: Json, listed: Json): boolean {
  return get(message, 'role') === get(listed, 'role') && text(message, 'content') === textOf(listed);
}

function ofRun(answer: Json, run: Json) {
  return elements(answer).filter(({ value }) => get(value, 'run_id') === get(run, 'id'));
}

function createdThread({ tale }: Look): Json | undefined {
  return tale?.told.find(({ subject }) => subject === 'thread')?.data;
}
