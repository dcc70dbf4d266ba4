// Finds the moment that explains refusals: an equal request was sent before, or others were in flight.
import { isMomentFeature, lowerLoads } from '../judge/acceptance/moments.ts';
import { type RequestRow, rateOf, type Share, shareOf } from '../judge/requirements/acceptance-facts.ts';

/** Standard errors by which two refusal rates must differ. Chance alone exceeds this in one of 740 cases. */
const MIN_STANDARD_ERRORS = 3;
/** Like `MIN_STANDARD_ERRORS`, for two loads once load is known to be the cause. */
const MIN_STANDARD_ERRORS_OF_LOADS = 2;
const MIN_RATE_RATIO = 2;

/** The moment with the most requests among those at which every request was refused; null if there is none. */
export function findDecisiveMoment(rows: readonly RequestRow[]): string | null {
  const moments = momentsOf(rows);
  const refusing = moments.flatMap((moment) => {
    const { refused, total } = shareOf(rowsWith(rows, moment));
    return refused === total ? [{ moment, total }] : [];
  });
  return refusing.toSorted((a, b) => b.total - a.total)[0]?.moment ?? null;
}

/** The moment, or lowest load, at which requests are refused far more often than otherwise; null if there is none. */
export function findLikelyMoment(rows: readonly RequestRow[]): string | null {
  const likely = momentsOf(rows).flatMap((moment) => {
    const atMoment = shareOf(rowsWith(rows, moment));
    const otherwise = shareOf(rows.filter(({ features }) => !features.includes(moment)));
    return isClearlyAbove(atMoment, otherwise, MIN_STANDARD_ERRORS)
      ? [{ moment, standardErrors: standardErrorsBetween(atMoment, otherwise) }]
      : [];
  });
  const first = likely.toSorted((a, b) => b.standardErrors - a.standardErrors)[0]?.moment;
  return first === undefined ? null : lowestLoad(rows, first);
}

/** The lowest load that clearly raises the refusal rate, to a third of that at `moment` or more; else `moment`. */
function lowestLoad(rows: readonly RequestRow[], moment: string): string {
  const rateAtMoment = rateOf(shareOf(rowsWith(rows, moment)));
  // A third is enough, because a trace shows the number of requests in flight only roughly.
  const lower = lowerLoads(moment).find(({ load, next }) => {
    const between = shareOf(rowsWith(rows, load).filter(({ features }) => !features.includes(next)));
    const below = shareOf(rows.filter(({ features }) => !features.includes(load)));
    return (
      isClearlyAbove(between, below, MIN_STANDARD_ERRORS_OF_LOADS) && 3 * rateOf(between) >= rateAtMoment
    );
  });
  return lower?.load ?? moment;
}

function rowsWith(rows: readonly RequestRow[], moment: string): readonly RequestRow[] {
  return rows.filter(({ features }) => features.includes(moment));
}

export function momentsOf(rows: readonly RequestRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ features }) => features.filter(isMomentFeature)))];
}

function isClearlyAbove(a: Share, b: Share, minStandardErrors: number): boolean {
  return standardErrorsBetween(a, b) >= minStandardErrors && rateOf(a) >= MIN_RATE_RATIO * rateOf(b);
}

function standardErrorsBetween(a: Share, b: Share): number {
  if (a.total === 0 || b.total === 0) return 0;
  const rate = (a.refused + b.refused) / (a.total + b.total);
  const error = Math.sqrt(rate * (1 - rate) * (1 / a.total + 1 / b.total));
  return error === 0 ? 0 : (rateOf(a) - rateOf(b)) / error;
}
