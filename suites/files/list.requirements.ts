import { inResponseWhere, removeIn, setIn, setValue } from '../vocabulary/changes.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { lists, memberships, responses, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json, Mutation, ResponseEvidence, Violation } from '../vocabulary/types.ts';
import { fileDifferences } from './file.ts';

const { stated, implied } = section('2 Files');

export const filesListTellsUploaded = implied('files.list.tells-uploaded', {
  says: 'The list of all files, or of its purpose, has every file that was uploaded and not deleted.',
  selector: memberships({
    create: 'createFile',
    remove: 'deleteFile',
    mayRemove: ['deleteAssistantFile'],
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
    element === undefined ? [violation('/data', `an element with id ${id}`, 'none')] : [],
  mutations: {
    'always empty': setIn('listFiles', '/data', []),
    'the first is lost': removeIn('listFiles', '/data/0'),
  },
});

export const filesListAsUploaded = implied('files.list.as-uploaded', {
  says: 'A list shows a file as in the response to its upload.',
  selector: where(
    memberships({ create: 'createFile', remove: 'deleteFile', list: 'listFiles' }),
    that('that has it', ({ element }) => element !== undefined),
  ),
  check: ({ created, element, list: page }) => {
    const index = arrayAt(page.responseJson, 'data').indexOf(element ?? null);
    return fileDifferences(created, element, `/data/${index}`);
  },
  mutations: {
    'other sizes': setIn('listFiles', '/data/*/bytes', 1_234_567),
    'other names': setIn('listFiles', '/data/*/filename', 'other.bin'),
    'other times': setIn('listFiles', '/data/*/created_at', 1),
  },
});

/** Filtered lists with files of another purpose, in these places. */
function ofOtherPurpose(pointer: string): Mutation {
  const other = setValue(pointer, (old) => (old === 'vision' ? 'batch' : 'vision'));
  return inResponseWhere('listFiles', ({ request }) => request.target.includes('purpose='), other);
}

const withPurpose = that<ResponseEvidence>(
  'whose query has a purpose',
  ({ call }) => (call.query.get('purpose') ?? '') !== '',
);

export const filesListPurposeFilter = stated('files.list.purpose-filter', {
  says: 'A list of one purpose has only files of that purpose.',
  selector: where(responses('listFiles'), lists('data'), withPurpose),
  check: ({ call, answer }) =>
    arrayAt(answer, 'data').flatMap((file, i) =>
      valueAtPath(file, 'purpose') === call.query.get('purpose')
        ? []
        : [violation(`/data/${i}/purpose`, String(call.query.get('purpose')), valueAtPath(file, 'purpose'))],
    ),
  mutations: {
    'one of another purpose': ofOtherPurpose('/data/0/purpose'),
    'all of another purpose': ofOtherPurpose('/data/*/purpose'),
  },
});

export const filesListEachOnce = implied('files.list.each-once', {
  says: 'A list has each file once.',
  selector: where(responses('listFiles'), lists('data')),
  check: ({ answer }) => repeated(answer),
  mutations: {
    'one twice': setIn('listFiles', '/data', (data) => [...arrayAt(data), ...arrayAt(data).slice(0, 1)]),
    'the last twice': setIn('listFiles', '/data', (data) => [...arrayAt(data), ...arrayAt(data).slice(-1)]),
  },
});

function repeated(answer: Json): Violation[] {
  const ids = arrayAt(answer, 'data').map((one) => textAt(one, 'id'));
  return ids.flatMap((id, i) =>
    id === undefined || ids.indexOf(id) === i ? [] : [violation(`/data/${i}/id`, 'each file once', id)],
  );
}
