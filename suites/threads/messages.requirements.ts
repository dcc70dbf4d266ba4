import { asWholeList } from '../generate/lists.ts';
import { messageText } from '../messages/content.ts';
import { setIn } from '../vocabulary/changes.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { idFrom, successions, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, CallSuccession, Json } from '../vocabulary/types.ts';

const { implied } = section('1 Threads');

const listedLater = successions({
  first: 'createThread',
  later: 'listMessages',
  until: ['createMessage', 'createRun'],
  about: idFrom('thread_id', 'id'),
});
const ofPlain = that<CallSuccession>('of a thread made with plain messages', ({ before }) =>
  givenTo(before).every(isPlain),
);

export const threadsCreateMessagesListed = implied('threads.create.messages-listed', {
  says: 'The messages that a new thread is given are those that are listed for it.',
  selector: where(listedLater, ofPlain, asWholeList),
  check: ({ before, after }) => {
    const wanted = givenTo(before).map((message) => [textAt(message, 'role'), textAt(message, 'content')]);
    const actual = arrayAt(after.responseJson, 'data').map((message) => [
      textAt(message, 'role'),
      messageText(message),
    ]);
    return same(wanted, actual) ? [] : [violation('/data', JSON.stringify(sorted(wanted)), sorted(actual))];
  },
  mutations: {
    'none of them': setIn('listMessages', '/data', []),
    'by others': setIn('listMessages', '/data/*/role', (role) => (role === 'user' ? 'assistant' : 'user')),
    'other words': setIn('listMessages', '/data/*/content/0/text/value', 'Other words.'),
  },
});

/** The messages of the request that made a thread. */
function givenTo({ requestJson: asked }: Call): readonly Json[] {
  return arrayAt(asked, 'messages');
}

/** The form in which content of another form is returned is left open. */
function isPlain(message: Json): boolean {
  return textAt(message, 'content') !== undefined;
}

type Line = readonly (string | undefined)[];

/** Messages of the same second have no defined order. */
function same(one: readonly Line[], other: readonly Line[]): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(lines: readonly Line[]): readonly string[] {
  return lines.map((line) => JSON.stringify(line)).toSorted();
}
