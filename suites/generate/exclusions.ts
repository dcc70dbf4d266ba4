import type { InfeasibleRequirement } from '../../judge/requirements/catalogue.ts';
import { listRows } from './lists.ts';

/** Lists that a job fills by itself. */
const GROWING_LISTS: readonly string[] = ['listFineTuningEvents', 'listFineTuningCheckpoints'];

/** The default page size shows only in a list that is longer than a page. */
export const infeasible: readonly InfeasibleRequirement[] = listRows().flatMap(({ subject, traits }) => {
  const { make, defaultLimit } = traits;
  if (defaultLimit === null || make > defaultLimit || GROWING_LISTS.includes(subject)) return [];
  const reason = `a scenario creates at most ${make} ${make === 1 ? 'element' : 'elements'} itself, and a page contains ${defaultLimit} by default`;
  return [{ id: `${subject}.page.default-limit`, reason }];
});
