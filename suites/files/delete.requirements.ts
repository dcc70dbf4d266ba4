import type { Exchange } from '../../exchange/exchange.ts';
import { valueAtPath } from '../../judge/evidence/json.ts';
import { responses, where } from '../../judge/evidence/selectors/answers.ts';
import { absences } from '../../judge/evidence/selectors/membership.ts';
import { successions } from '../../judge/evidence/selectors/relations.ts';
import { inEveryCall, swapResponses } from '../../judge/mutations/across-exchanges.ts';
import { withBody, withStatus } from '../../judge/mutations/exchanges.ts';
import { inResponse, succeedInstead } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import type { Mutation } from '../../judge/requirements/requirement.ts';
import { stillListedMutations } from '../generate/relations/still-listed.ts';

import { notFoundFile, showsExistence } from './file.ts';

const { implied } = section('2 Files');

export const filesDeleteTellsId = implied('files.delete.tells-id', {
  says: 'The response to a deletion has the id of the file in its request.',
  selector: responses('deleteFile'),
  check: ({ call, json: answer }) =>
    valueAtPath(answer, 'id') === call.path['file_id']
      ? []
      : [{ at: '/id', expected: String(call.path['file_id']), actual: valueAtPath(answer, 'id') }],
  mutations: {
    'another id': inResponse('deleteFile', setValue('/id', 'file-other')),
    'that of another deletion': swapResponses('deleteFile'),
  },
});

export const filesDeleteGoneFromRetrieve = implied('files.delete.gone-from-retrieve', {
  says: 'A deleted file can no longer be retrieved.',
  selector: afterDeletion('retrieveFile'),
  check: ({ after }) => (after.responseClass === 'accepted' ? [notFoundFile(after, 'no 2xx')] : []),
  mutations: {
    'still there': succeedInstead('retrieveFile', asIfThere),
    'marked as deleted': succeedInstead('retrieveFile', (one) => ({ ...asIfThere(one), deleted: true })),
  },
});

export const filesDeleteGoneFromContent = implied('files.delete.gone-from-content', {
  says: 'The content of a deleted file can no longer be retrieved.',
  selector: afterDeletion('retrieveFileContent'),
  check: ({ after }) => (after.responseClass === 'accepted' ? [notFoundFile(after, 'no 2xx')] : []),
  mutations: {
    'still there': succeedInstead('retrieveFileContent', asIfThere),
    emptied: everyRefusal('retrieveFileContent', (one) => withStatus(withBody(one, ''), 200)),
  },
});

export const filesDeleteGoneFromList = implied('files.delete.gone-from-list', {
  says: 'A deleted file is not in any list.',
  selector: absences({ remove: 'deleteFile', list: 'listFiles' }),
  check: ({ id, index }) =>
    index === -1 ? [] : [{ at: `/data/${index}`, expected: `no file ${id}`, actual: id }],
  mutations: stillListedMutations('deleteFile', 'listFiles', asIfThere),
});

function afterDeletion(operation: string) {
  const reported = successions({ first: 'deleteFile', later: operation, until: ['createFile'] });
  return where(
    reported,
    ({ before, after }) => valueAtPath(before.responseJson, 'deleted') === true && showsExistence(after),
  );
}

function asIfThere({ request }: Exchange) {
  const id = request.target.split('/')[3] ?? '';
  return { id, object: 'file', bytes: 1, created_at: 1, filename: 'a', purpose: 'batch' };
}

/** Replaces a rejection by a success. */
function everyRefusal(operation: string, edit: (exchange: Exchange) => Exchange): Mutation {
  return inEveryCall(operation, (exchange) =>
    (exchange.response?.status ?? 0) >= 400 ? edit(exchange) : exchange,
  );
}
