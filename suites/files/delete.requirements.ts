import { stillListedMutations } from '../generate/objects.requirements.ts';
import { inEveryCall, succeedInstead } from '../vocabulary/changes.ts';
import { withBody, withStatus } from '../vocabulary/exchanges.ts';
import { absences, settled, showed, successions, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Mutation } from '../vocabulary/types.ts';

import { notFoundFile } from './file.ts';

const { implied } = section('2 Files');

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
  check: ({ id, index }) => (index === -1 ? [] : [violation(`/data/${index}`, `no file ${id}`, id)]),
  mutations: stillListedMutations('deleteFile', 'listFiles', asIfThere),
});

function afterDeletion(operation: string) {
  const reported = successions({ first: 'deleteFile', later: operation, until: ['createFile'] });
  return where(reported, showed('deleted', true), settled);
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
