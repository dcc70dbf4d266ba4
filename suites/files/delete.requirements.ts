import type { Exchange } from '../../exchange/exchange.ts';
import { answersOfOthers, inCalls } from '../../judge/edit/between.ts';
import { inAnswer, succeedAnyway } from '../../judge/edit/breaks.ts';
import { withBody, withStatus } from '../../judge/edit/exchanges.ts';
import { put } from '../../judge/edit/values.ts';
import { get } from '../../judge/json.ts';
import type { Break } from '../../judge/requirement.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { absences } from '../../judge/selectors/membership.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { stillListed } from '../generate/relations/still-listed.ts';

import { refusal, tells } from './file.ts';

const ENDPOINTS = '2 Files';

export const deletedId = requirement({
  id: 'files.delete.tells-id',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'The answer to a deletion names the file that was to be deleted.',
  on: answers('deleteFile'),
  check: ({ call, answer }) =>
    get(answer, 'id') === call.path['file_id']
      ? []
      : [{ at: '/id', expected: String(call.path['file_id']), actual: get(answer, 'id') }],
  breaks: {
    'another id': inAnswer('deleteFile', put('/id', 'file-other')),
    'that of another deletion': answersOfOthers('deleteFile'),
  },
});

export const goneFromRetrieve = requirement({
  id: 'files.delete.gone-from-retrieve',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A deleted file is not retrieved any more.',
  on: afterDeletion('retrieveFile'),
  check: ({ after }) => (after.outcome === 'accepted' ? [refusal(after, 'no 2xx')] : []),
  breaks: {
    'still there': succeedAnyway('retrieveFile', asIfThere),
    'marked as deleted': succeedAnyway('retrieveFile', (one) => ({ ...asIfThere(one), deleted: true })),
  },
});

export const goneFromContent = requirement({
  id: 'files.delete.gone-from-content',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A deleted file has no content any more.',
  on: afterDeletion('retrieveFileContent'),
  check: ({ after }) => (after.outcome === 'accepted' ? [refusal(after, 'no 2xx')] : []),
  breaks: {
    'still there': succeedAnyway('retrieveFileContent', asIfThere),
    emptied: everyRefusal('retrieveFileContent', (one) => withStatus(withBody(one, ''), 200)),
  },
});

export const goneFromList = requirement({
  id: 'files.delete.gone-from-list',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A deleted file is in no list any more.',
  on: absences({ remove: 'deleteFile', list: 'listFiles' }),
  check: ({ id, index }) =>
    index === -1 ? [] : [{ at: `/data/${index}`, expected: `no file ${id}`, actual: id }],
  breaks: stillListed('deleteFile', 'listFiles', asIfThere),
});

function afterDeletion(operation: string) {
  const told = successions({ first: 'deleteFile', later: operation, until: ['createFile'] });
  return only(told, ({ before, after }) => get(before.answer, 'deleted') === true && tells(after));
}

function asIfThere({ request }: Exchange) {
  const id = request.target.split('/')[3] ?? '';
  return { id, object: 'file', bytes: 1, created_at: 1, filename: 'a', purpose: 'batch' };
}

/** Changes what was turned down. */
function everyRefusal(operation: string, edit: (exchange: Exchange) => Exchange): Break {
  return inCalls(operation, (exchange) =>
    (exchange.response?.status ?? 0) >= 400 ? edit(exchange) : exchange,
  );
}
