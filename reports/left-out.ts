// Requirements that the options of a run exclude, by the option that does.
import type { Cause } from '../judge/verdict/cause.ts';
import { unclaimedFamilies } from './family-rows.ts';
import { formatNumber, plural, type Report, requirementsInScope } from './report.ts';

/** Families that are named where they are left out; more are counted. */
const NAMED = 2;

/**
 * How many requirements are left out, by which option: `2,933 requirements left out, not claimed: 18 families`,
 * `3,232 requirements left out: 2,933 not claimed (18 families), 299 by --only`. Null for none.
 */
export function leftOutWords(report: Report): string | null {
  const inScope = new Set(requirementsInScope(report.requirements));
  const counts = new Map<string, number>();
  for (const one of report.requirements.filter((other) => !inScope.has(other))) {
    const option = optionOf(one.cause);
    counts.set(option, (counts.get(option) ?? 0) + 1);
  }
  const all = plural(report.requirements.length - inScope.size, 'requirement');
  const [only, ...others] = [...counts];
  if (only === undefined) return null;
  const families = familyWords(report);
  if (others.length === 0) {
    const [option] = only;
    return option === NOT_CLAIMED
      ? `${all} left out, ${option}${families === '' ? '' : `: ${families}`}`
      : `${all} left out ${option}`;
  }
  const parts = [only, ...others].map(([option, count]) => {
    const which = option === NOT_CLAIMED && families !== '' ? ` (${families})` : '';
    return `${formatNumber(count)} ${option}${which}`;
  });
  return `${all} left out: ${parts.join(', ')}`;
}

const NOT_CLAIMED = 'not claimed';

/** The option that leaves a requirement out. Reports of earlier versions do not say which filter it was. */
function optionOf(cause: Cause | null): string {
  if (cause?.kind !== 'filtered') return NOT_CLAIMED;
  return 'by' in cause && cause.by !== null ? `by --${cause.by.option}` : 'by --only or --skip';
}

/** The families of which nothing is claimed. Those of which anything is claimed have requirements that speak of another one, too. */
function familyWords(report: Report): string {
  const families = unclaimedFamilies(report);
  return families.length > NAMED ? plural(families.length, 'family', 'families') : families.join(', ');
}
