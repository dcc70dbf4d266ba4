import { inAnswer } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { memberships } from '../../judge/selectors/membership.ts';
import { requirement } from '../../judge/write.ts';

export const listed = requirement({
  id: 'batches.list.tells-created',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Batches',
  says: 'A list of all batches has every batch that was created before.',
  on: only(
    memberships({
      create: 'createBatch',
      list: 'listBatches',
      // In a list of several pages a batch may be on another one.
      belongs: (_, { query, answer }) => !query.has('after') && get(answer, 'has_more') === false,
    }),
    ({ list }) => list.answer !== undefined,
  ),
  check: ({ id, element }) =>
    element === undefined ? [{ at: '/data', expected: `an element with id ${id}`, actual: 'none' }] : [],
  breaks: {
    'always empty': inAnswer('listBatches', put('/data', [])),
    'the first is lost': inAnswer('listBatches', remove('/data/0')),
  },
});
