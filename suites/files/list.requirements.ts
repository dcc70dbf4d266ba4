import type { Json } from '../../exchange/http/body.ts';
import { arrayAt, textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { responses, where } from '../../judge/evidence/selectors/answers.ts';
import { memberships } from '../../judge/evidence/selectors/membership.ts';
import { inResponse, inResponseWhere } from '../../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';

import { fileDifferences } from './file.ts';

const { stated, implied } = section('2 Files');

export const filesListTellsUploaded = implied('files.list.tells-uploaded', {
  says: 'The list of all files, or of its purpose, has every file that was uploaded and not deleted.',
  selector: memberships({
    create: 'createFile',
    remove: 'deleteFile',
    list: 'listFiles',
    belongs: (created, { query, responseJson: answer }) => {
      // Other parameters, and pages, are not specified: then a file may be on another page.
      const isPart =
        [...query.keys()].some((name) => name !== 'purpose') || valueAtPath(answer, 'has_more') === true;
      if (isPart) return false;
      const wanted = query.get('purpose');
      return wanted === null || wanted === textAt(created, 'purpose');
    },
  }),
  check: ({ id, element }) =>
    element === undefined ? [{ at: '/data', expected: `an element with id ${id}`, actual: 'none' }] : [],
  mutations: {
    'always empty': inResponse('listFiles', setValue('/data', [])),
    'the first is lost': inResponse('listFiles', removeValue('/data/0')),
  },
});

export const filesListAsUploaded = implied('files.list.as-uploaded', {
  says: 'A list shows a file as in the response to its upload.',
  selector: where(
    memberships({ create: 'createFile', remove: 'deleteFile', list: 'listFiles' }),
    ({ element }) => element !== undefined,
  ),
  check: ({ created, element, list: page }) => {
    const index = arrayAt(page.responseJson, 'data').indexOf(element ?? null);
    return fileDifferences(created, element, `/data/${index}`);
  },
  mutations: {
    'other sizes': inResponse('listFiles', setValue('/data/*/bytes', 1_234_567)),
    'other names': inResponse('listFiles', setValue('/data/*/filename', 'other.bin')),
    'other times': inResponse('listFiles', setValue('/data/*/created_at', 1)),
  },
});

export const filesListPurposeFilter = stated('files.list.purpose-filter', {
  says: 'A list of one purpose has only files of that purpose.',
  selector: where(responses('listFiles'), ({ call, json: answer }) => {
    return (call.query.get('purpose') ?? '') !== '' && arrayAt(answer, 'data').length > 0;
  }),
  check: ({ call, json: answer }) =>
    arrayAt(answer, 'data').flatMap((file, i) =>
      valueAtPath(file, 'purpose') === call.query.get('purpose')
        ? []
        : [
            {
              at: `/data/${i}/purpose`,
              expected: String(call.query.get('purpose')),
              actual: valueAtPath(file, 'purpose'),
            },
          ],
    ),
  mutations: {
    'one of another purpose': inResponseWhere(
      'listFiles',
      ({ request }) => request.target.includes('purpose='),
      setValue('/data/0/purpose', (old) => (old === 'vision' ? 'batch' : 'vision')),
    ),
    'all of another purpose': inResponseWhere(
      'listFiles',
      ({ request }) => request.target.includes('purpose='),
      setValue('/data/*/purpose', (old) => (old === 'vision' ? 'batch' : 'vision')),
    ),
  },
});

export const filesListEachOnce = implied('files.list.each-once', {
  says: 'A list has each file once.',
  selector: where(responses('listFiles'), ({ json: answer }) => arrayAt(answer, 'data').length > 0),
  check: ({ json: answer }) => repeated(answer),
  mutations: {
    'one twice': inResponse(
      'listFiles',
      setValue('/data', (data) => [...arrayAt(data), ...arrayAt(data).slice(0, 1)]),
    ),
    'the last twice': inResponse(
      'listFiles',
      setValue('/data', (data) => [...arrayAt(data), ...arrayAt(data).slice(-1)]),
    ),
  },
});

function repeated(answer: Json): Violation[] {
  const ids = arrayAt(answer, 'data').map((one) => textAt(one, 'id'));
  return ids.flatMap((id, i) =>
    id === undefined || ids.indexOf(id) === i
      ? []
      : [{ at: `/data/${i}/id`, expected: 'each file once', actual: id }],
  );
}
