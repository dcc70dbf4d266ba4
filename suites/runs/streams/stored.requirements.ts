import { isAnother } from '../../generate/compare.ts';
import { inResponseWhere, setIn, setValue } from '../../vocabulary/changes.ts';
import { arrayAt, textAt, valueAtPath } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Exchange, Json, Violation } from '../../vocabulary/types.ts';
import { type FollowUp, followUps, isCompleteResponse } from '../selectors/follow-ups.ts';
import { placedMessages } from '../selectors/messages.ts';
import { joinedMessageText, joinedTexts } from './deltas.ts';
import type { StreamedObject } from './run-stream.ts';

const { implied } = section('1 Messages and message files');
const LIST = 'listMessages';
const RETRIEVE = 'retrieveMessage';

const lists = where(
  followUps([LIST]),
  that('that is the whole list', ({ after }) => isCompleteResponse(after)),
  that('after a stream that completed a message', (followUp) => completedMessages(followUp).length > 0),
);

const seen = that<FollowUp>('with a message that a stream completed', (look) => sightings(look).length > 0);

const ofRun = that<FollowUp>('of this run or of all', ({ after, run }) => {
  const filter = after.query.get('run_id');
  return filter === null || filter === textAt(run, 'id');
});

export const runsStoredMessagesListed = implied('runs.stored.messages-listed', {
  says: 'The messages that a stream completed are in the list of their thread.',
  selector: where(lists, ofRun),
  check: (followUp) => {
    const ids = idsOf(followUp.answer);
    return completedMessages(followUp)
      .filter(({ id }) => !ids.includes(id))
      .map(({ id }) => violation('/data', `an element with id ${id}`, ids.map(String)));
  },
  mutations: {
    'never listed': setIn(LIST, '/data', []),
    'not of its run': inResponseWhere(LIST, isFiltered, setValue('/data', [])),
    'under another id': setIn(LIST, '/data/*/id', 'msg_other'),
  },
});

export const runsStoredMessageAsStreamed = implied('runs.stored.message-as-streamed', {
  spec: '1 Message created by a run',
  says: 'A message that a stream completed is the same in later responses.',
  selector: where(followUps([LIST, RETRIEVE]), seen),
  check: (followUp) => sightings(followUp).flatMap((sighting) => differences(sighting)),
  mutations: {
    'another text in the list': setIn(LIST, '/data/*/content/0/text/value', 'something else'),
    'another text': setIn(RETRIEVE, '/content/0/text/value', 'something else'),
    'no text': setIn(RETRIEVE, '/content', []),
    'another time': setIn(RETRIEVE, '/created_at', 1),
    'another role': setIn(RETRIEVE, '/role', 'user'),
    'no run': setIn(RETRIEVE, '/run_id', null),
    'no assistant': setIn(LIST, '/data/*/assistant_id', null),
    'another thread': setIn(LIST, '/data/*/thread_id', 'thread_other'),
    'not completed any more': setIn(RETRIEVE, '/status', 'in_progress'),
    'completed at another time': setIn(LIST, '/data/*/completed_at', 1),
  },
});

export const runsStoredDeltasAreMessage = implied('runs.stored.deltas-are-message', {
  spec: '1 Events',
  says: 'The joined deltas of a completed message equal its text in later responses.',
  selector: where(followUps([LIST, RETRIEVE]), seen),
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
  mutations: {
    'another text in the list': setIn(LIST, '/data/*/content/0/text/value', 'something else'),
    'another text': setIn(RETRIEVE, '/content/0/text/value', 'something else'),
  },
});

/** A message of a stream, seen again. */
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

/** The completed messages of a stream that a later response shows again. */
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
