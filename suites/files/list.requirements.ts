import { rowOf } from '../rows/rows.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { memberships } from '../vocabulary/selectors.ts';
import type { ListMembership } from '../vocabulary/types.ts';
import { fileDifferences } from './file.ts';

export const filesListTellsUploaded = rowOf('files.list.tells-uploaded', {
  evidence: membershipsAfter('createFile'),
});

/** Includes files that the service wrote, such as the results of a batch. */
export const filesListTellsRetrieved = rowOf('files.list.tells-retrieved', {
  evidence: membershipsAfter('retrieveFile'),
});

function membershipsAfter(operation: string) {
  return memberships({
    create: operation,
    remove: 'deleteFile',
    mayRemove: ['deleteAssistantFile'],
    list: 'listFiles',
    belongs: (shown, { query, responseJson: answer }, isListed) => {
      // The specification defines no other parameter. If the service pages anyway, the file may be on another page.
      if ([...query.keys()].some((name) => name !== 'purpose')) return false;
      if (valueAtPath(answer, 'has_more') === true && !isListed) return false;
      const purpose = query.get('purpose');
      return purpose === null || purpose === textAt(shown, 'purpose');
    },
  });
}

export const filesListAsUploaded = rowOf<ListMembership>('files.list.as-uploaded', {
  check: ({ created, element, list: page }) => {
    const index = arrayAt(page.responseJson, 'data').indexOf(element ?? null);
    return fileDifferences(created, element, `/data/${index}`);
  },
});
