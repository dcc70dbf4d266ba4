import type { Cause } from '../judge/verdict/cause.ts';
import { groupBy } from '../schemas/maps.ts';
import { formatNumber, plural } from '../schemas/message-text.ts';
import { unclaimedFamilies } from './families.ts';
import type { Report } from './report.ts';
import { requirementsInScope } from './selection.ts';

const MAX_NAMED_FAMILIES = 2;
const NOT_CLAIMED = 'not claimed';

/** `3,232 requirements left out: 2,933 not claimed (18 families), 299 by --only`. Null if there are none. */
export function leftOutWords(report: Report): string | null {
  const inScope = new Set(requirementsInScope(report.requirements));
  const excluded = report.requirements.filter((one) => !inScope.has(one));
  const reasons = [...groupBy(excluded, ({ cause }) => reasonOf(cause))];
  const [only, ...others] = reasons;
  if (only === undefined) return null;
  const total = `${plural(excluded.length, 'requirement')} left out`;
  const families = familyWords(report);
  if (others.length === 0) {
    const [reason] = only;
    if (reason !== NOT_CLAIMED) return `${total} ${reason}`;
    return `${total}, ${reason}${families === '' ? '' : `: ${families}`}`;
  }
  const parts = reasons.map(([reason, { length }]) => {
    const which = reason === NOT_CLAIMED && families !== '' ? ` (${families})` : '';
    return `${formatNumber(length)} ${reason}${which}`;
  });
  return `${total}: ${parts.join(', ')}`;
}

function reasonOf(cause: Cause | null): string {
  if (cause?.kind !== 'filtered') return NOT_CLAIMED;
  return cause.by !== null ? `by --${cause.by.option}` : 'by --only or --skip';
}

function familyWords(report: Report): string {
  const families = unclaimedFamilies(report);
  return families.length > MAX_NAMED_FAMILIES
    ? plural(families.length, 'family', 'families')
    : families.join(', ');
}
