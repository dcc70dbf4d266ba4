import { asWholeList } from '../generate/lists.ts';
import { rowOf } from '../rows/rows.ts';
import { inResponseWhere, setIn, setValue } from '../vocabulary/changes.ts';
import { isAnother } from '../vocabulary/compare.ts';
import { arrayAt, listElements, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { settled, successions, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Exchange, Json, Violation } from '../vocabulary/types.ts';
import {
  type FollowUp,
  followUps,
  isCompleteResponse,
  LIST_MESSAGES,
  ownMessages,
  type PlacedObject,
  placedMessages,
  RETRIEVE_MESSAGE,
  runResponseOf,
} from './runs.ts';
import { joinedMessageText, joinedTexts, type StreamedObject } from './streams.ts';

const withOwn = that<FollowUp>(
  'with a message that the run wrote',
  (followUp) => ownMessages(followUp).length > 0,
);

export const runsMessageOfRun = rowOf('runs.message.of-run', {
  evidence: where(followUps([LIST_MESSAGES, RETRIEVE_MESSAGE]), withOwn),
  check: (followUp) =>
    ownMessages(followUp).flatMap((message) => [
      ...otherwise(message, 'role', 'assistant'),
      ...otherwise(message, 'assistant_id', textAt(followUp.run, 'assistant_id')),
      ...otherwise(message, 'thread_id', textAt(followUp.run, 'thread_id')),
    ]),
});

function otherwise({ at, value }: PlacedObject, field: string, expected: Json | undefined): Violation[] {
  const actual = valueAtPath(value, field);
  return actual === expected
    ? []
    : [violation(`${at}/${field}`, `${JSON.stringify(expected)}, as of its run`, actual)];
}

const wholeLists = where(followUps([LIST_MESSAGES]), asWholeList);

const ofAdditional = that<FollowUp>(
  'of a run with additional_messages',
  ({ begun }) => given(begun.asked, 'additional_messages').length > 0,
);

export const runsAdditionalMessagesInThread = rowOf('runs.additional-messages.in-thread', {
  evidence: where(wholeLists, ofAdditional),
  check: ({ begun, answer }) => missing(given(begun.asked, 'additional_messages'), answer),
  broken_by: {
    'one is lost': setIn(LIST_MESSAGES, '/data', (all) =>
      arrayAt(all).filter((one) => joinedMessageText(one).includes('second') === false),
    ),
    'other roles': setIn(LIST_MESSAGES, '/data/*/role', (role) => (role === 'user' ? 'assistant' : 'user')),
  },
});

const ofOwn = that<FollowUp>('with a message of the run', ({ run, answer }) => ofRun(answer, run).length > 0);

export const runsAdditionalMessagesBeforeTheRun = rowOf('runs.additional-messages.before-the-run', {
  evidence: where(wholeLists, ofAdditional, ofOwn),
  check: ({ begun, run, answer }) => {
    const first = Math.min(...ofRun(answer, run).map(({ value }) => numberAt(value, 'created_at') ?? 0));
    return given(begun.asked, 'additional_messages').flatMap((message): Violation[] => {
      // The same text may occur again later.
      const said = listElements(answer).filter(({ value }) => isSame(message, value));
      const times = said.map(({ value }) => numberAt(value, 'created_at') ?? 0);
      const [place] = said;
      if (place === undefined || times.some((time) => time <= first)) return [];
      const expected = `at most ${first}, when the run wrote`;
      return [violation(`${place.at}/created_at`, expected, valueAtPath(place.value, 'created_at'))];
    });
  },
  broken_by: {
    'written before': setIn(LIST_MESSAGES, '/data/*', (one) =>
      one === undefined || textAt(one, 'run_id') === undefined
        ? (one ?? null)
        : setValue('/created_at', 1)(one),
    ),
    'added afterwards': setIn(LIST_MESSAGES, '/data/*', (one) =>
      one === undefined || textAt(one, 'run_id') !== undefined
        ? (one ?? null)
        : setValue('/created_at', 4_000_000_000)(one),
    ),
  },
});

const ofGiven = that<FollowUp>(
  'of a run with messages for its thread',
  ({ begun }) => given(begun.asked, 'thread', 'messages').length > 0,
);

export const runsNewThreadHasMessages = rowOf('runs.new-thread.has-messages', {
  evidence: where(wholeLists, ofGiven),
  check: ({ begun, answer }) => missing(given(begun.asked, 'thread', 'messages'), answer),
  broken_by: { 'one is lost': setIn(LIST_MESSAGES, '/data', (all) => arrayAt(all).slice(0, -1)) },
});

export const runsNewThreadFound = rowOf('runs.new-thread.found', {
  evidence: where(
    successions({
      first: 'createThreadAndRun',
      later: 'retrieveThread',
      until: ['deleteThread'],
      about: (call) => call.path['thread_id'] ?? textAt(runResponseOf(call)?.runs[0]?.value, 'thread_id'),
    }),
    settled,
  ),
  check: ({ after }) =>
    after.responseClass === 'accepted' ? [] : [violation('status', '2xx', after.status)],
});

export const runsNewThreadAsCreated = rowOf('runs.new-thread.as-created', {
  evidence: where(
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
});

function given(asked: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const messages = arrayAt(asked, ...path);
  const isPlain = (one: Json): boolean =>
    textAt(one, 'role') !== undefined && textAt(one, 'content') !== undefined;
  return messages.every(isPlain) ? messages : [];
}

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

const lists = where(
  followUps([LIST_MESSAGES]),
  that('that is the whole list', ({ after }) => isCompleteResponse(after)),
  that('after a stream that completed a message', (followUp) => completedMessages(followUp).length > 0),
);

const seen = that<FollowUp>('with a message that a stream completed', (look) => sightings(look).length > 0);

const ofThisRun = that<FollowUp>('of this run or of all', ({ after, run }) => {
  const filter = after.query.get('run_id');
  return filter === null || filter === textAt(run, 'id');
});

export const runsStoredMessagesListed = rowOf('runs.stored.messages-listed', {
  evidence: where(lists, ofThisRun),
  check: (followUp) => {
    const ids = idsOf(followUp.answer);
    return completedMessages(followUp)
      .filter(({ id }) => !ids.includes(id))
      .map(({ id }) => violation('/data', `an element with id ${id}`, ids.map(String)));
  },
  broken_by: { 'not of its run': inResponseWhere(LIST_MESSAGES, isFiltered, setValue('/data', [])) },
});

export const runsStoredMessageAsStreamed = rowOf('runs.stored.message-as-streamed', {
  evidence: where(followUps([LIST_MESSAGES, RETRIEVE_MESSAGE]), seen),
  check: (followUp) => sightings(followUp).flatMap((sighting) => differences(sighting)),
});

export const runsStoredDeltasAreMessage = rowOf('runs.stored.deltas-are-message', {
  evidence: where(followUps([LIST_MESSAGES, RETRIEVE_MESSAGE]), seen),
  check: (followUp) =>
    sightings(followUp).flatMap(({ at, value, message }): Violation[] => {
      const texts = joinedTexts(message);
      return arrayAt(value, 'content').flatMap((part, i): Violation[] => {
        const expected = texts.get(i) ?? '';
        const actual = textAt(part, 'text', 'value');
        if (valueAtPath(part, 'type') !== 'text' || actual === expected) return [];
        return [violation(`${at}/content/${i}/text/value`, JSON.stringify(expected), actual)];
      });
    }),
});

interface Sighting {
  readonly at: string;
  readonly value: Json;
  readonly message: StreamedObject;
}

const LASTING = ['thread_id', 'run_id', 'assistant_id', 'role', 'status', 'created_at', 'completed_at'];

function differences({ at, value, message }: Sighting): Violation[] {
  const streamed = completion(message)?.data;
  const complaints = LASTING.filter((field) =>
    isAnother(valueAtPath(streamed, field), valueAtPath(value, field)),
  ).map((field) =>
    violation(
      `${at}/${field}`,
      `${JSON.stringify(valueAtPath(streamed, field))}, as streamed`,
      valueAtPath(value, field),
    ),
  );
  if (joinedMessageText(streamed) === joinedMessageText(value)) return complaints;
  const expected = `${JSON.stringify(joinedMessageText(streamed))}, as streamed`;
  return [...complaints, violation(`${at}/content`, expected, joinedMessageText(value))];
}

function sightings(followUp: FollowUp): readonly Sighting[] {
  const { after } = followUp;
  const shown = placedMessages(after);
  const messages = completedMessages(followUp);
  return shown.flatMap(({ at, value }) => {
    const id = after.path['message_id'] ?? textAt(value, 'id');
    const message = messages.find((one) => one.id === id);
    return message === undefined ? [] : [{ at, value, message }];
  });
}

function completedMessages({ stream }: FollowUp): readonly StreamedObject[] {
  return stream?.messages.filter((message) => completion(message) !== undefined) ?? [];
}

function completion({ events }: StreamedObject): StreamedObject['events'][number] | undefined {
  return events.find(({ verb }) => verb === 'completed');
}

function idsOf(answer: Json): readonly (string | undefined)[] {
  return arrayAt(answer, 'data').map((one) => textAt(one, 'id'));
}

function isFiltered({ request }: Exchange): boolean {
  return request.target.includes('run_id=');
}
