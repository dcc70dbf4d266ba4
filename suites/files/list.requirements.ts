import { rowOf } from '../rows/rows.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { memberships } from '../vocabulary/selectors.ts';
import type { ListMembership } from '../vocabulary/types.ts';
import { fileDifferences } from './file.ts';

export const filesListTellsUploaded = rowOf('files.list.tells-uploaded', {
  evidence: memberships({
    create: 'createFile',
    remove: 'deleteFile',
    mayRemove: ['deleteAssistantFile'],
    list: 'listFiles',
    belongs: (created, { query, responseJson: answer }, isThere) => {
      // The specification defines no other parameters and no paging: the file may be on another page.
      if ([...query.keys()].some((name) => name !== 'purpose')) return false;
      if (valueAtPath(answer, 'has_more') === true && !isThere) return false;
      const wanted = query.get('purpose');
      return wanted === null || wanted === textAt(created, 'purpose');
    },
  }),
});

export const filesListAsUploaded = rowOf<ListMembership>('files.list.as-uploaded', {
  check: ({ created, element, list: page }) => {
    const index = arrayAt(page.responseJson, 'data').indexOf(element ?? null);
    return fileDifferences(created, element, `/data/${index}`);
  },
});
