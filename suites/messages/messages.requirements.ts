import { listsFileIds } from '../files/file.ts';
import { withoutDeletedFiles } from '../generate/deleted-files.ts';
import { asWholeList } from '../generate/lists.ts';
import { choiceOf, rowOf } from '../rows/rows.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { fieldDifferences } from '../vocabulary/compare.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { answered, idFrom, requests, settled, successions, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, CallSuccession, Json, ResponseEvidence, Violation } from '../vocabulary/types.ts';

const MODIFY = 'modifyMessage';
/** Fields that a modification may name but not change; content is compared by its text. */
const FIXED = ['role', 'file_ids', 'thread_id', 'created_at'];

export const messagesModifyOnlyMetadata = rowOf('messages.modify.only-metadata', {
  evidence: where(
    successions({ first: 'createMessage', later: MODIFY, about: idFrom('message_id', 'id') }),
    answered,
    that('whose request names more than the metadata', ({ after }) => namesMore(after.requestJson)),
  ),
  check: ({ before, after }): Violation[] => {
    const [made, answer] = [before.responseJson ?? null, after.responseJson ?? null];
    const earlier = { value: made, by: before.exchange.id };
    const others = fieldDifferences(FIXED, earlier, answer, '');
    const [expected, actual] = [messageText(made), messageText(answer)];
    if (valueAtPath(answer, 'content') === undefined || expected === actual) return others;
    return [...others, violation('/content', JSON.stringify(expected), actual)];
  },
});

export const messagesModifyOtherFields = choiceOf('messages.modify.other-fields', {
  selector: where(
    requests(MODIFY),
    settled,
    that('that is not sent as an invalid one', ({ call }) => call.exchange.probe?.side !== 'violation'),
    ({ asked }) => namesMore(asked),
  ),
  taken: outcome('passed over'),
});

function namesMore(asked: Json | undefined): boolean {
  return isObject(asked) && Object.keys(asked).some((name) => name !== 'metadata');
}

const successive = successions({
  first: ['createMessage', 'retrieveMessage'],
  later: 'listMessageFiles',
  about: messageOf,
});

const withFileIds = that<CallSuccession>('of a message with file_ids', ({ before }) =>
  Array.isArray(valueAtPath(before.responseJson, 'file_ids')),
);

export const messageFilesListAsFileIds = rowOf('message-files.list.as-file-ids', {
  evidence: withoutDeletedFiles(
    where(
      { ...successive, operations: ['listMessageFiles', 'createMessage', 'retrieveMessage'] },
      withFileIds,
      asWholeList,
    ),
    listsFileIds,
  ),
  check: listsFileIds,
});

function messageOf({ path, responseJson: answer }: Call): string {
  // The same id below another thread names no message, and a target may respond with an empty list.
  return `${path['thread_id']}/${path['message_id'] ?? textAt(answer, 'id')}`;
}

export const messagesCreateTextKept = rowOf<ResponseEvidence>('messages.create.text-kept', {
  check: ({ asked, answer }) => {
    const [wanted, actual] = [textAt(asked, 'content'), messageText(answer)];
    return actual === wanted ? [] : [violation('/content', JSON.stringify(wanted), actual)];
  },
});

export const messagesListNoRunAtFirst = rowOf('messages.list.no-run-at-first', {
  evidence: {
    ...successions({
      first: 'createThread',
      later: 'listMessages',
      until: ['createRun'],
      about: idFrom('thread_id', 'id'),
    }),
    operations: ['listMessages', 'createThread', 'createRun'],
  },
});

const listedLater = successions({
  first: 'createThread',
  later: 'listMessages',
  until: ['createMessage', 'createRun'],
  about: idFrom('thread_id', 'id'),
});
const ofPlain = that<CallSuccession>('of a thread made with plain messages', ({ before }) =>
  givenTo(before).every(isPlain),
);

export const threadsCreateMessagesListed = rowOf('threads.create.messages-listed', {
  evidence: where(listedLater, ofPlain, asWholeList),
  check: ({ before, after }) => {
    const wanted = givenTo(before).map((message) => [textAt(message, 'role'), textAt(message, 'content')]);
    const actual = arrayAt(after.responseJson, 'data').map((message) => [
      textAt(message, 'role'),
      messageText(message),
    ]);
    return haveSameLines(wanted, actual)
      ? []
      : [violation('/data', JSON.stringify(sorted(wanted)), sorted(actual))];
  },
});

function givenTo({ requestJson: asked }: Call): readonly Json[] {
  return arrayAt(asked, 'messages');
}

/** Content in parts may be returned in another form. */
function isPlain(message: Json): boolean {
  return textAt(message, 'content') !== undefined;
}

type Line = readonly (string | undefined)[];

function haveSameLines(one: readonly Line[], other: readonly Line[]): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(lines: readonly Line[]): readonly string[] {
  return lines.map((line) => JSON.stringify(line)).toSorted();
}

export function messageText(message: Json | undefined): string {
  return arrayAt(message, 'content')
    .filter((part) => valueAtPath(part, 'type') === 'text')
    .map((part) => textAt(part, 'text', 'value') ?? '')
    .join('');
}
