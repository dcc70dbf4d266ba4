import { valueAtPath } from '../judge/evidence/json.ts';
import { where } from '../judge/evidence/selectors/answers.ts';
import { memberships } from '../judge/evidence/selectors/membership.ts';
import { inResponse } from '../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../judge/mutations/values.ts';
import { requirement } from '../judge/requirements/define.ts';

/** Lists of an organization whose objects nothing removes; `lost` names the mutant that leaves out the newest. */
const LISTS = [
  {
    area: 'batches',
    spec: '2 Batches',
    noun: ['batches', 'batch'],
    create: 'createBatch',
    list: 'listBatches',
    lost: 'the first is lost',
  },
  {
    area: 'fine-tuning',
    spec: '2 Fine-tuning',
    noun: ['jobs', 'job'],
    create: 'createFineTuningJob',
    list: 'listFineTuningJobs',
    lost: 'the newest is not there yet',
  },
] as const;

export const listsTellCreated = LISTS.map(({ area, spec, noun: [plural, one], create, list, lost }) =>
  requirement({
    id: `${area}.list.tells-created`,
    level: 'MUST',
    basis: 'implied',
    spec,
    says: `A list of all ${plural} contains every ${one} that was created before.`,
    selector: where(
      memberships({
        create,
        list,
        // In a list of several pages an object may be on another one.
        belongs: (_, { query, responseJson: answer }) =>
          !query.has('after') && valueAtPath(answer, 'has_more') === false,
      }),
      ({ list: answer }) => answer.responseJson !== undefined,
    ),
    check: ({ id, element }) =>
      element === undefined ? [{ at: '/data', expected: `an element with id ${id}`, actual: 'none' }] : [],
    mutations: {
      'always empty': inResponse(list, setValue('/data', [])),
      [lost]: inResponse(list, removeValue('/data/0')),
    },
  }),
);
