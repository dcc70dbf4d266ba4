import type { Call } from '../../judge/call.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { type Succession, successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { isWholeList } from '../generate/lists/whole.ts';
import { withoutLostFiles } from '../generate/relations/losses.ts';

const told = successions({
  first: ['createMessage', 'retrieveMessage'],
  later: 'listMessageFiles',
  about: messageOf,
});

export const asFileIds = requirement({
  id: 'message-files.list.as-file-ids',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Messages and message files',
  says: 'The files that are listed for a message are those in its file_ids.',
  // It counts for the files, not for the message.
  on: withoutLostFiles(
    only(
      { ...told, operations: ['listMessageFiles', 'createMessage', 'retrieveMessage'] },
      ({ before, after }) => Array.isArray(get(before.answer, 'file_ids')) && isWholeList(after),
    ),
    areTheFiles,
  ),
  check: areTheFiles,
  breaks: {
    'none of them': inAnswer('listMessageFiles', put('/data', [])),
    'one more': inAnswer(
      'listMessageFiles',
      put('/data', (data) => [...list(data), { id: 'file_of_another' }]),
    ),
  },
});

function areTheFiles({ before, after }: Succession): readonly Complaint[] {
  const wanted = list(before.answer, 'file_ids').map(String).toSorted();
  const actual = list(after.answer, 'data').map((file) => text(file, 'id') ?? '');
  const isSame = JSON.stringify(actual.toSorted()) === JSON.stringify(wanted);
  return isSame ? [] : [{ at: '/data', expected: JSON.stringify(wanted), actual }];
}

function messageOf({ path, answer }: Call): string | undefined {
  return path['message_id'] ?? text(answer, 'id');
}
