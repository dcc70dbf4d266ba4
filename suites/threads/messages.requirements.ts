import type { Json } from '../../exchange/body.ts';
import type { Call } from '../../judge/call.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { list, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { isWholeList } from '../generate/lists/whole.ts';
import { textOf } from '../messages/content.ts';

export const listed = requirement({
  id: 'threads.create.messages-listed',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Threads',
  says: 'The messages that a new thread is given are those that are listed for it.',
  on: only(
    successions({
      first: 'createThread',
      later: 'listMessages',
      until: ['createMessage', 'createRun'],
      about: ({ path, answer }) => path['thread_id'] ?? text(answer, 'id'),
    }),
    ({ before, after }) => givenTo(before).every(isPlain) && isWholeList(after),
  ),
  check: ({ before, after }) => {
    const wanted = givenTo(before).map((message) => [text(message, 'role'), text(message, 'content')]);
    const actual = list(after.answer, 'data').map((message) => [text(message, 'role'), textOf(message)]);
    return same(wanted, actual)
      ? []
      : [{ at: '/data', expected: JSON.stringify(sorted(wanted)), actual: sorted(actual) }];
  },
  breaks: {
    'none of them': inAnswer('listMessages', put('/data', [])),
    'by others': inAnswer(
      'listMessages',
      put('/data/*/role', (role) => (role === 'user' ? 'assistant' : 'user')),
    ),
    'other words': inAnswer('listMessages', put('/data/*/content/0/text/value', 'Other words.')),
  },
});

/** The messages of the request that made a thread. */
function givenTo({ asked }: Call): readonly Json[] {
  return list(asked, 'messages');
}

/** What content of another form reads as is left open. */
function isPlain(message: Json): boolean {
  return text(message, 'content') !== undefined;
}

type Line = readonly (string | undefined)[];

/** Messages of the same second are in no order of their own. */
function same(one: readonly Line[], other: readonly Line[]): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(lines: readonly Line[]): readonly string[] {
  return lines.map((line) => JSON.stringify(line)).toSorted();
}
