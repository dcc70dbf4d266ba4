// Features of requests with which a target fails each time, in words.
import type { FailedShare } from '../../judge/requirements/refusals.ts';
import { isCapacityStatus } from '../../judge/trace/response-class.ts';
import type { BreakdownFacts } from '../../judge/verdict/cause.ts';
import { featureWords } from './diagnosis.ts';
import { formatNumber } from './figure.ts';

/** The failures with their counts: `answers 503 to stop: 14 of 14 requests with it, 0 of 96 without`. */
export function breakdownWords(faults: readonly BreakdownFacts[]): string {
  return faults.map((one) => `${failsWords(one)}: ${countsWords(one)}`).join('; ');
}

/** The blame, where statuses speak of a lack of capacity. */
export function blameWords(faults: readonly Pick<BreakdownFacts, 'statuses'>[]): string {
  const claimsCapacity = faults.some(({ statuses }) => statuses.some(isCapacityStatus));
  return `a fault of the service${claimsCapacity ? ' rather than a lack of capacity' : ''}`;
}

/** The failures without their counts: `answers 503 to stop`. */
export function failsWords({ features, statuses }: Pick<BreakdownFacts, 'features' | 'statuses'>): string {
  const what = features.map(featureWords).join(' with ');
  const codes = statuses.flatMap((status) => status ?? []);
  if (codes.length === 0) return `does not answer ${what} in time`;
  const late = codes.length < statuses.length ? ', or not in time,' : '';
  return `answers ${codes.join(' or ')}${late} to ${what}`;
}

function countsWords({ features, with: share, without }: BreakdownFacts): string {
  return `${counted(share)} requests with ${features.length > 1 ? 'both' : 'it'}, ${counted(without)} without`;
}

/** `14 of 96`. */
function counted({ failed, total }: FailedShare): string {
  return `${formatNumber(failed)} of ${formatNumber(total)}`;
}
