import { removeIn, setIn } from './vocabulary/changes.ts';
import { valueAtPath } from './vocabulary/json.ts';
import { memberships, that, where } from './vocabulary/selectors.ts';
import { section, violation } from './vocabulary/statements.ts';

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
  section(spec).implied(`${area}.list.tells-created`, {
    says: `A list of all ${plural} contains every ${one} that was created before.`,
    selector: where(
      memberships({
        create,
        list,
        // In a list of several pages an object may be on another one.
        belongs: (_, { query, responseJson: answer }) =>
          !query.has('after') && valueAtPath(answer, 'has_more') === false,
      }),
      that('that is the only page', ({ list: answer }) => answer.responseJson !== undefined),
    ),
    check: ({ id, element }) =>
      element === undefined ? [violation('/data', `an element with id ${id}`, 'none')] : [],
    mutations: {
      'always empty': setIn(list, '/data', []),
      [lost]: removeIn(list, '/data/0'),
    },
  }),
);
