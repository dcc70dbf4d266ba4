import { valueAtPath } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { memberships } from '../../judge/evidence/selectors/membership.ts';
import { inResponse } from '../../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../../judge/mutations/values.ts';
import { requirement } from '../../judge/requirements/define.ts';

export const fineTuningListTellsCreated = requirement({
  id: 'fine-tuning.list.tells-created',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Fine-tuning',
  says: 'A list of all jobs has every job that was created before.',
  selector: where(
    memberships({
      create: 'createFineTuningJob',
      list: 'listFineTuningJobs',
      // In a list of several pages a job may be on another one.
      belongs: (_, { query, responseJson: answer }) =>
        !query.has('after') && valueAtPath(answer, 'has_more') === false,
    }),
    ({ list }) => list.responseJson !== undefined,
  ),
  check: ({ id, element }) =>
    element === undefined ? [{ at: '/data', expected: `an element with id ${id}`, actual: 'none' }] : [],
  mutations: {
    'always empty': inResponse('listFineTuningJobs', setValue('/data', [])),
    'the newest is not there yet': inResponse('listFineTuningJobs', removeValue('/data/0')),
  },
});
