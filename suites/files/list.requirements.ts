import type { Json } from '../../exchange/body.ts';
import { inAnswer, inAnswerWhere } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { memberships } from '../../judge/selectors/membership.ts';
import { requirement } from '../../judge/write.ts';

import { differences } from './file.ts';

const ENDPOINTS = '2 Files';

export const listed = requirement({
  id: 'files.list.tells-uploaded',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'The list of all files, or of its purpose, has every file that was uploaded and not deleted.',
  on: memberships({
    create: 'createFile',
    remove: 'deleteFile',
    list: 'listFiles',
    belongs: (created, { query, answer }) => {
      // Other parameters, and a service that gives pages, are not stated: then a file may be elsewhere.
      const isPart = [...query.keys()].some((name) => name !== 'purpose') || get(answer, 'has_more') === true;
      if (isPart) return false;
      const wanted = query.get('purpose');
      return wanted === null || wanted === text(created, 'purpose');
    },
  }),
  check: ({ id, element }) =>
    element === undefined ? [{ at: '/data', expected: `an element with id ${id}`, actual: 'none' }] : [],
  breaks: {
    'always empty': inAnswer('listFiles', put('/data', [])),
    'the first is lost': inAnswer('listFiles', remove('/data/0')),
  },
});

export const sameInList = requirement({
  id: 'files.list.as-uploaded',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A list tells a file as its upload was answered.',
  on: only(
    memberships({ create: 'createFile', remove: 'deleteFile', list: 'listFiles' }),
    ({ element }) => element !== undefined,
  ),
  check: ({ created, element, list: page }) => {
    const index = list(page.answer, 'data').indexOf(element ?? null);
    return differences(created, element, `/data/${index}`);
  },
  breaks: {
    'other sizes': inAnswer('listFiles', put('/data/*/bytes', 1_234_567)),
    'other names': inAnswer('listFiles', put('/data/*/filename', 'other.bin')),
    'other times': inAnswer('listFiles', put('/data/*/created_at', 1)),
  },
});

export const filtered = requirement({
  id: 'files.list.purpose-filter',
  level: 'MUST',
  basis: 'stated',
  spec: ENDPOINTS,
  says: 'A list of one purpose has only files of that purpose.',
  on: only(answers('listFiles'), ({ call, answer }) => {
    return (call.query.get('purpose') ?? '') !== '' && list(answer, 'data').length > 0;
  }),
  check: ({ call, answer }) =>
    list(answer, 'data').flatMap((file, i) =>
      get(file, 'purpose') === call.query.get('purpose')
        ? []
        : [
            {
              at: `/data/${i}/purpose`,
              expected: String(call.query.get('purpose')),
              actual: get(file, 'purpose'),
            },
          ],
    ),
  breaks: {
    'one of another purpose': inAnswerWhere(
      'listFiles',
      ({ request }) => request.target.includes('purpose='),
      put('/data/0/purpose', (old) => (old === 'vision' ? 'batch' : 'vision')),
    ),
    'all of another purpose': inAnswerWhere(
      'listFiles',
      ({ request }) => request.target.includes('purpose='),
      put('/data/*/purpose', (old) => (old === 'vision' ? 'batch' : 'vision')),
    ),
  },
});

export const listedOnce = requirement({
  id: 'files.list.each-once',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A list has each file once.',
  on: only(answers('listFiles'), ({ answer }) => list(answer, 'data').length > 0),
  check: ({ answer }) => repeated(answer),
  breaks: {
    'one twice': inAnswer(
      'listFiles',
      put('/data', (data) => [...list(data), ...list(data).slice(0, 1)]),
    ),
    'the last twice': inAnswer(
      'listFiles',
      put('/data', (data) => [...list(data), ...list(data).slice(-1)]),
    ),
  },
});

function repeated(answer: Json): Complaint[] {
  const ids = list(answer, 'data').map((one) => text(one, 'id'));
  return ids.flatMap((id, i) =>
    id === undefined || ids.indexOf(id) === i
      ? []
      : [{ at: `/data/${i}/id`, expected: 'each file once', actual: id }],
  );
}
