import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { inAnswer, inAnswerWhere } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { isAnother } from '../generate/relations/compare.ts';
import { joinedTexts, textOf } from './deltas.ts';
import { isWhole, type Look, looks } from './looks.ts';
import { placed } from './messages.ts';
import type { Thing } from './tale.ts';

const LIST = 'listMessages';
const RETRIEVE = 'retrieveMessage';
const SPEC = '1 Messages and message files';

const lists = only(looks([LIST]), (look) => isWhole(look.after) && completedMessages(look).length > 0);

export const listed = requirement({
  id: 'runs.stored.messages-listed',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The messages that a stream completed are in the list of their thread.',
  on: only(lists, ({ after, run }) => {
    const filter = after.query.get('run_id');
    return filter === null || filter === text(run, 'id');
  }),
  check: (look) => {
    const ids = idsOf(look.answer);
    return completedMessages(look)
      .filter(({ id }) => !ids.includes(id))
      .map(({ id }) => ({ at: '/data', expected: `an element with id ${id}`, actual: ids.map(String) }));
  },
  breaks: {
    'never listed': inAnswer(LIST, put('/data', [])),
    'not of its run': inAnswerWhere(LIST, isFiltered, put('/data', [])),
    'under another id': inAnswer(LIST, put('/data/*/id', 'msg_other')),
  },
});

export const asStreamed = requirement({
  id: 'runs.stored.message-as-streamed',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Message created by a run',
  says: 'A message that a stream completed is told the same afterwards.',
  on: only(looks([LIST, RETRIEVE]), (look) => sightings(look).length > 0),
  check: (look) => sightings(look).flatMap((sighting) => differences(sighting)),
  breaks: {
    'another text in the list': inAnswer(LIST, put('/data/*/content/0/text/value', 'something else')),
    'another text': inAnswer(RETRIEVE, put('/content/0/text/value', 'something else')),
    'no text': inAnswer(RETRIEVE, put('/content', [])),
    'another time': inAnswer(RETRIEVE, put('/created_at', 1)),
    'another role': inAnswer(RETRIEVE, put('/role', 'user')),
    'no run': inAnswer(RETRIEVE, put('/run_id', null)),
    'no assistant': inAnswer(LIST, put('/data/*/assistant_id', null)),
    'another thread': inAnswer(LIST, put('/data/*/thread_id', 'thread_other')),
    'not completed any more': inAnswer(RETRIEVE, put('/status', 'in_progress')),
    'completed at another time': inAnswer(LIST, put('/data/*/completed_at', 1)),
  },
});

export const deltasStored = requirement({
  id: 'runs.stored.deltas-are-message',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Events',
  says: 'The joined deltas of a completed message are its text when it is looked at afterwards.',
  on: only(looks([LIST, RETRIEVE]), (look) => sightings(look).length > 0),
  check: (look) =>
    sightings(look).flatMap(({ at, value, message }): Complaint[] => {
      const texts = joinedTexts(message);
      return list(value, 'content').flatMap((part, i): Complaint[] => {
        const expected = texts.get(i) ?? '';
        const actual = text(part, 'text', 'value');
        if (get(part, 'type') !== 'text' || actual === expected) return [];
        return [{ at: `${at}/content/${i}/text/value`, expected: JSON.stringify(expected), actual }];
      });
    }),
  breaks: {
    'another text in the list': inAnswer(LIST, put('/data/*/content/0/text/value', 'something else')),
    'another text': inAnswer(RETRIEVE, put('/content/0/text/value', 'something else')),
  },
});

/** A message of a stream, seen again. */
interface Sighting {
  readonly at: string;
  readonly value: Json;
  readonly message: Thing;
}

const LASTING = ['thread_id', 'run_id', 'assistant_id', 'role', 'status', 'created_at', 'completed_at'];

function differences({ at, value, message }: Sighting): Complaint[] {
  const told = completion(message)?.data;
  const complaints = LASTING.filter((field) => isAnother(get(told, field), get(value, field))).map(
    (field) => ({
      at: `${at}/${field}`,
      expected: `${JSON.stringify(get(told, field))}, as streamed`,
      actual: get(value, field),
    }),
  );
  if (textOf(told) === textOf(value)) return complaints;
  const expected = `${JSON.stringify(textOf(told))}, as streamed`;
  return [...complaints, { at: `${at}/content`, expected, actual: textOf(value) }];
}

/** The completed messages of a stream that a later answer tells again. */
function sightings(look: Look): readonly Sighting[] {
  const { after } = look;
  const told = placed(after);
  const messages = completedMessages(look);
  return told.flatMap(({ at, value }) => {
    const id = after.path['message_id'] ?? text(value, 'id');
    const message = messages.find((one) => one.id === id);
    return message === undefined ? [] : [{ at, value, message }];
  });
}

function completedMessages({ tale }: Look): readonly Thing[] {
  return tale?.messages.filter((message) => completion(message) !== undefined) ?? [];
}

function completion({ told }: Thing): Thing['told'][number] | undefined {
  return told.find(({ verb }) => verb === 'completed');
}

function idsOf(answer: Json): readonly (string | undefined)[] {
  return list(answer, 'data').map((one) => text(one, 'id'));
}

function isFiltered({ request }: Exchange): boolean {
  return request.target.includes('run_id=');
}
