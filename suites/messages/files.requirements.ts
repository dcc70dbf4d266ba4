import { asWholeList } from '../generate/lists.ts';
import { withoutDeletedFiles } from '../generate/objects.ts';
import { setIn } from '../vocabulary/changes.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { successions, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, CallSuccession, Violation } from '../vocabulary/types.ts';

const { implied } = section('1 Messages and message files');

const successive = successions({
  first: ['createMessage', 'retrieveMessage'],
  later: 'listMessageFiles',
  about: messageOf,
});

const withFileIds = that<CallSuccession>('of a message with file_ids', ({ before }) =>
  Array.isArray(valueAtPath(before.responseJson, 'file_ids')),
);

export const messageFilesListAsFileIds = implied('message-files.list.as-file-ids', {
  says: 'The files that are listed for a message are those in its file_ids.',
  // It counts for the files, not for the message.
  selector: withoutDeletedFiles(
    where(
      { ...successive, operations: ['listMessageFiles', 'createMessage', 'retrieveMessage'] },
      withFileIds,
      asWholeList,
    ),
    areTheFiles,
  ),
  check: areTheFiles,
  mutations: {
    'none of them': setIn('listMessageFiles', '/data', []),
    'one more': setIn('listMessageFiles', '/data', (data) => [...arrayAt(data), { id: 'file_of_another' }]),
  },
});

function areTheFiles({ before, after }: CallSuccession): readonly Violation[] {
  const wanted = arrayAt(before.responseJson, 'file_ids').map(String).toSorted();
  const actual = arrayAt(after.responseJson, 'data').map((file) => textAt(file, 'id') ?? '');
  const isSame = JSON.stringify(actual.toSorted()) === JSON.stringify(wanted);
  return isSame ? [] : [violation('/data', JSON.stringify(wanted), actual)];
}

function messageOf({ path, responseJson: answer }: Call): string {
  // The same id in another thread names nothing, which may be answered with a list of no files.
  return `${path['thread_id']}/${path['message_id'] ?? textAt(answer, 'id')}`;
}
