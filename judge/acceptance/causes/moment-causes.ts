// Moments that explain refusals: an equal request was sent before, or many requests were under way.
import type { RequestRow } from './candidates.ts';
import { isOfMoment, loadSteps } from './moments.ts';
import { type Share, shareOf } from './share.ts';

/** The moment that all of many rows were refused in and none accepted, where there is one; the one that covers most. */
export function decisiveMoment(rows: readonly RequestRow[]): string | null {
  const moments = momentsOf(rows);
  const pure = moments.flatMap((moment) => {
    const { refused, total } = shareOf(rows.filter(({ features }) => features.includes(moment)));
    return refused === total ? [{ moment, total }] : [];
  });
  return pure.toSorted((a, b) => b.total - a.total)[0]?.moment ?? null;
}

/**
 * The moment in which requests are refused far more often than else, where there is one: a target that refuses under load
 * still accepts some. That with the greatest difference, in standard errors of the two shares; of loads the lowest one from which on
 * requests are refused that often.
 */
export function likelyMoment(rows: readonly RequestRow[]): string | null {
  const likely = momentsOf(rows).flatMap((moment) => {
    const inIt = shareOf(having(rows, moment));
    const other = shareOf(rows.filter(({ features }) => !features.includes(moment)));
    return isClearlyAbove(inIt, other, CLEAR) ? [{ moment, errors: difference(inIt, other) }] : [];
  });
  const first = likely.toSorted((a, b) => b.errors - a.errors)[0]?.moment;
  return first === undefined ? null : lowestLoad(rows, first);
}

/**
 * The lowest load at which requests are refused a third as often as under the given one, where it is a load: a target counts the requests
 * under way more exactly than a trace shows them. Only the requests
 * between a load and the next greater one show whether it is one at which they are refused: those under a greater load count for each
 * lower one as well.
 */
function lowestLoad(rows: readonly RequestRow[], moment: string): string {
  const often = rateOf(shareOf(having(rows, moment)));
  const lower = loadSteps(moment).find(({ load, next }) => {
    const between = shareOf(having(rows, load).filter(({ features }) => !features.includes(next)));
    const below = shareOf(rows.filter(({ features }) => !features.includes(load)));
    return isClearlyAbove(between, below, CLEAR_OF_LOADS) && 3 * rateOf(between) >= often;
  });
  return lower?.load ?? moment;
}

function having(rows: readonly RequestRow[], moment: string): readonly RequestRow[] {
  return rows.filter(({ features }) => features.includes(moment));
}

/** The moments in which any of these requests was sent, each once. */
export function momentsOf(rows: readonly RequestRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ features }) => features.filter(isOfMoment)))];
}

/** Standard errors by which two shares have to differ: chance does so once in 740 moments. */
const CLEAR = 3;
/** The same between two loads, where it is known already that load is the cause. */
const CLEAR_OF_LOADS = 2;

/** Whether the first share is at least twice the second, and by so many standard errors above it. */
function isClearlyAbove(a: Share, b: Share, errors: number): boolean {
  return difference(a, b) >= errors && rateOf(a) >= 2 * rateOf(b);
}

/** By how many standard errors the first share is above the second. */
function difference(a: Share, b: Share): number {
  if (a.total === 0 || b.total === 0) return 0;
  const rate = (a.refused + b.refused) / (a.total + b.total);
  const error = Math.sqrt(rate * (1 - rate) * (1 / a.total + 1 / b.total));
  return error === 0 ? 0 : (rateOf(a) - rateOf(b)) / error;
}

/** 0 where nothing was sent. */
function rateOf({ refused, total }: Share): number {
  return total === 0 ? 0 : refused / total;
}
