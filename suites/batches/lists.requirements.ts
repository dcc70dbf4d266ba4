import { valueAtPath } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { memberships } from '../../judge/evidence/selectors/membership.ts';
import { inResponse } from '../../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../../judge/mutations/values.ts';
import { requirement } from '../../judge/requirements/define.ts';

export const batchesListTellsCreated = requirement({
  id: 'batches.list.tells-created',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Batches',
  says: 'A list of all batches has every batch that was created before.',
  selector: where(
    memberships({
      create: 'createBatch',
      list: 'listBatches',
      // In a list of several pages a batch may be on another one.
      belongs: (_, { query, responseJson: answer }) =>
        !query.has('after') && valueAtPath(answer, 'has_more') === false,
    }),
    ({ list }) => list.responseJson !== undefined,
  ),
  check: ({ id, element }) =>
    element === undefined ? [{ at: '/data', expected: `an element with id ${id}`, actual: 'none' }] : [],
  mutations: {
    'always empty': inResponse('listBatches', setValue('/data', [])),
    'the first is lost': inResponse('listBatches', removeValue('/data/0')),
  },
});
