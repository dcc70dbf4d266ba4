import { fileIdDifferences } from '../files/file.ts';
import { withoutDeletedFiles } from '../generate/deleted-objects.ts';
import { asWholeList } from '../generate/lists.ts';
import { choiceOf, rowOf } from '../rows/rows.ts';
import { joinMessageText } from '../runs/streams.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { fieldDifferences } from '../vocabulary/compare.ts';
import { arrayAt, deepEqual, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { answered, idFrom, requests, settled, successions, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, CallSuccession, Json, ResponseEvidence, Violation } from '../vocabulary/types.ts';

/** Fields that a modification may name but not change; content is compared by its text. */
const CONSTANT_FIELDS = ['role', 'file_ids', 'thread_id', 'created_at'];

export const messagesModifyOnlyMetadata = rowOf('messages.modify.only-metadata', {
  evidence: withoutDeletedFiles(
    where(
      successions({ first: 'createMessage', later: 'modifyMessage', about: idFrom('message_id', 'id') }),
      answered,
      that('whose request names more than the metadata', ({ after }) => namesOtherFields(after.requestJson)),
    ),
    constantFieldChanges,
  ),
  check: constantFieldChanges,
});

function constantFieldChanges({ before, after }: CallSuccession): readonly Violation[] {
  const [created, answer] = [before.responseJson ?? null, after.responseJson ?? null];
  const others = fieldDifferences(CONSTANT_FIELDS, { value: created, by: before.exchange.id }, answer, '');
  const [expected, actual] = [joinMessageText(created), joinMessageText(answer)];
  const isContentShown = [created, answer].every((message) => valueAtPath(message, 'content') !== undefined);
  if (!isContentShown || expected === actual) return others;
  return [...others, violation('/content', JSON.stringify(expected), actual)];
}

export const messagesModifyOtherFields = choiceOf('messages.modify.other-fields', {
  selector: where(
    requests('modifyMessage'),
    settled,
    that('that is not deliberately invalid', ({ call }) => call.exchange.probe?.side !== 'violation'),
    ({ asked }) => namesOtherFields(asked),
  ),
  taken: outcome('passed over'),
});

function namesOtherFields(request: Json | undefined): boolean {
  return isObject(request) && Object.keys(request).some((name) => name !== 'metadata');
}

export const messageFilesListAsFileIds = rowOf('message-files.list.as-file-ids', {
  evidence: withoutDeletedFiles(
    where(
      {
        ...successions({
          first: ['createMessage', 'retrieveMessage'],
          later: 'listMessageFiles',
          about: messageKey,
        }),
        operations: ['listMessageFiles', 'createMessage', 'retrieveMessage'],
      },
      that('of a message with file_ids', ({ before }) =>
        Array.isArray(valueAtPath(before.responseJson, 'file_ids')),
      ),
      asWholeList,
    ),
    fileIdDifferences,
  ),
  check: fileIdDifferences,
});

function messageKey({ path, responseJson: answer }: Call): string {
  // The thread is part of the key: a target may respond with an empty list to an id of another thread.
  return `${path['thread_id']}/${path['message_id'] ?? textAt(answer, 'id')}`;
}

export const messagesCreateTextKept = rowOf<ResponseEvidence>('messages.create.text-kept', {
  check: ({ asked, answer }) => {
    const [sent, actual] = [textAt(asked, 'content'), joinMessageText(answer)];
    return actual === sent ? [] : [violation('/content', JSON.stringify(sent), actual)];
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

export const threadsCreateMessagesListed = rowOf('threads.create.messages-listed', {
  evidence: where(
    successions({
      first: 'createThread',
      later: 'listMessages',
      until: ['createMessage', 'createRun'],
      about: idFrom('thread_id', 'id'),
    }),
    // Content in parts may be returned in another form.
    that('of a thread created with plain-text messages', ({ before }) =>
      requestedMessages(before).every((message) => textAt(message, 'content') !== undefined),
    ),
    asWholeList,
  ),
  check: ({ before, after }) => {
    const expected = sortedLines(requestedMessages(before), (message) => textAt(message, 'content'));
    const actual = sortedLines(arrayAt(after.responseJson, 'data'), joinMessageText);
    return deepEqual(expected, actual) ? [] : [violation('/data', JSON.stringify(expected), actual)];
  },
});

function requestedMessages({ requestJson }: Call): readonly Json[] {
  return arrayAt(requestJson, 'messages');
}

function sortedLines(
  messages: readonly Json[],
  textOf: (message: Json) => string | undefined,
): readonly string[] {
  return messages.map((message) => JSON.stringify([textAt(message, 'role'), textOf(message)])).toSorted();
}
