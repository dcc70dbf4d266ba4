// Refusals that depend on the moment: an equal request was sent before, or many requests were in flight.
import { isOfMoment, loadSteps } from '../judge/acceptance/moments.ts';
import { type RequestRow, rateOf, type Share, shareOf } from '../judge/requirements/refusals.ts';
import { groupBy } from '../schemas/grouping.ts';

/** Of the moments at which every request was refused, the one with the most requests; null if there is none. */
export function decisiveMoment(rows: readonly RequestRow[]): string | null {
  const moments = momentsOf(rows);
  const pure = moments.flatMap((moment) => {
    const { refused, total } = shareOf(rowsWith(rows, moment));
    return refused === total ? [{ moment, total }] : [];
  });
  return pure.toSorted((a, b) => b.total - a.total)[0]?.moment ?? null;
}

/** The moment at which requests are refused far more often than at others; of loads, the lowest that shows it. Null if none. */
export function likelyMoment(rows: readonly RequestRow[]): string | null {
  const likely = momentsOf(rows).flatMap((moment) => {
    const atMoment = shareOf(rowsWith(rows, moment));
    const other = shareOf(rows.filter(({ features }) => !features.includes(moment)));
    return isClearlyAbove(atMoment, other, MIN_STANDARD_ERRORS)
      ? [{ moment, errors: standardErrorsBetween(atMoment, other) }]
      : [];
  });
  const first = likely.toSorted((a, b) => b.errors - a.errors)[0]?.moment;
  return first === undefined ? null : lowestLoad(rows, first);
}

/** The lowest load whose refusal rate is at least a third of that at `moment`: a trace shows the number in flight only roughly. */
function lowestLoad(rows: readonly RequestRow[], moment: string): string {
  const rateAtMoment = rateOf(shareOf(rowsWith(rows, moment)));
  const lower = loadSteps(moment).find(({ load, next }) => {
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

function momentsOf(rows: readonly RequestRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ features }) => features.filter(isOfMoment)))];
}

/** Standard errors by which two refusal rates must differ. Chance alone exceeds this once in 740 times. */
const MIN_STANDARD_ERRORS = 3;
/** Like `MIN_STANDARD_ERRORS`, for two loads once load is known to be the cause. */
const MIN_STANDARD_ERRORS_OF_LOADS = 2;

function isClearlyAbove(a: Share, b: Share, errors: number): boolean {
  return standardErrorsBetween(a, b) >= errors && rateOf(a) >= 2 * rateOf(b);
}

function standardErrorsBetween(a: Share, b: Share): number {
  if (a.total === 0 || b.total === 0) return 0;
  const rate = (a.refused + b.refused) / (a.total + b.total);
  const error = Math.sqrt(rate * (1 - rate) * (1 / a.total + 1 / b.total));
  return error === 0 ? 0 : (rateOf(a) - rateOf(b)) / error;
}

export type Noise = (subject: string) => number;

/** Estimates for each operation how likely a request is to be refused at random; 0 if one moment explains all refusals. */
export function noiseIn(repeats: ReadonlyMap<string, readonly RequestRow[]>): Noise {
  const noisy = [...repeats].filter(([, rows]) => inconsistentRows(rows).length > 0);
  const inconsistent = noisy.flatMap(([, rows]) => inconsistentRows(rows));
  const all = noisy.flatMap(([, rows]) => rows);
  const isClear = momentsOf(inconsistent).some(
    (moment) =>
      inconsistent.every(({ features, refused }) => features.includes(moment) || refused === 0) &&
      all.every(({ features, accepted }) => !features.includes(moment) || accepted === 0),
  );
  if (inconsistent.length === 0 || isClear) return () => 0;
  const shares = new Map(noisy.map(([subject, rows]) => [subject, randomShare(repeatedShares(rows))]));
  const overall = randomShare(noisy.flatMap(([, rows]) => repeatedShares(rows)));
  return (subject) => shares.get(subject) ?? overall;
}

function groupEqualRequests(rows: readonly RequestRow[]): readonly (readonly RequestRow[])[] {
  const requestOf = ({ features }: RequestRow) => features.filter((one) => !isOfMoment(one)).join(' ');
  return [...groupBy(rows, requestOf).values()];
}

function inconsistentRows(rows: readonly RequestRow[]): readonly RequestRow[] {
  return groupEqualRequests(rows)
    .filter((group) => group.some(({ accepted }) => accepted > 0) && group.some(({ refused }) => refused > 0))
    .flat();
}

function repeatedShares(rows: readonly RequestRow[]): readonly Share[] {
  return groupEqualRequests(rows).flatMap((group) => {
    const refused = group.reduce((sum, row) => sum + row.refused, 0);
    const accepted = group.reduce((sum, row) => sum + row.accepted, 0);
    return accepted === 0 || accepted + refused < 2 ? [] : [{ refused, total: accepted + refused }];
  });
}

const HALVINGS = 20;

function randomShare(groups: readonly Share[]): number {
  const refused = groups.reduce((sum, group) => sum + group.refused, 0);
  let [least, most] = [0, 1];
  for (let i = 0; i < HALVINGS; i += 1) {
    const chance = (least + most) / 2;
    const expected = groups.reduce((sum, { total }) => sum + expectedRefusals(total, chance), 0);
    if (expected < refused) least = chance;
    else most = chance;
  }
  return most;
}

function expectedRefusals(total: number, chance: number): number {
  return (total * (chance - chance ** total)) / (1 - chance ** total);
}
