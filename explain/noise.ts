import { isMomentFeature } from '../judge/acceptance/moments.ts';
import { type RequestRow, type Share, shareOf } from '../judge/requirements/acceptance-facts.ts';
import { groupBy } from '../schemas/maps.ts';
import { momentsOf } from './moments.ts';

/** Halvings of the interval from 0 to 1, so that the result is exact to a millionth. */
const BISECTIONS = 20;

/** The chance, from 0 to 1, that a request of the subject is refused whatever its content. */
export type Noise = (subject: string) => number;

/**
 * `repeats`: rows by subject. The noise is 0 unless equal requests were both accepted and refused, without one moment
 * that explains these refusals.
 */
export function estimateNoise(repeats: ReadonlyMap<string, readonly RequestRow[]>): Noise {
  const noisy = [...repeats].filter(([, rows]) => findInconsistent(rows).length > 0);
  const inconsistent = noisy.flatMap(([, rows]) => findInconsistent(rows));
  const all = noisy.flatMap(([, rows]) => rows);
  const isExplained = momentsOf(inconsistent).some(
    (moment) =>
      inconsistent.every(({ features, refused }) => features.includes(moment) || refused === 0) &&
      all.every(({ features, accepted }) => !features.includes(moment) || accepted === 0),
  );
  if (inconsistent.length === 0 || isExplained) return () => 0;
  const chances = new Map(noisy.map(([subject, rows]) => [subject, estimateChance(repeatedShares(rows))]));
  const overall = estimateChance(noisy.flatMap(([, rows]) => repeatedShares(rows)));
  return (subject) => chances.get(subject) ?? overall;
}

function groupEqualRequests(rows: readonly RequestRow[]): readonly (readonly RequestRow[])[] {
  const keyOf = ({ features }: RequestRow) =>
    features.filter((feature) => !isMomentFeature(feature)).join(' ');
  return [...groupBy(rows, keyOf).values()];
}

function findInconsistent(rows: readonly RequestRow[]): readonly RequestRow[] {
  return groupEqualRequests(rows)
    .filter((group) => group.some(({ accepted }) => accepted > 0) && group.some(({ refused }) => refused > 0))
    .flat();
}

function repeatedShares(rows: readonly RequestRow[]): readonly Share[] {
  return groupEqualRequests(rows).flatMap((group) => {
    const share = shareOf(group);
    return share.refused === share.total || share.total < 2 ? [] : [share];
  });
}

/** The chance at which the expected number of refusals is that of `groups`, each of which has an accepted request. */
function estimateChance(groups: readonly Share[]): number {
  const refused = groups.reduce((sum, group) => sum + group.refused, 0);
  let [least, most] = [0, 1];
  for (let i = 0; i < BISECTIONS; i += 1) {
    const chance = (least + most) / 2;
    const expected = groups.reduce((sum, { total }) => sum + expectedRefusals(total, chance), 0);
    if (expected < refused) least = chance;
    else most = chance;
  }
  return most;
}

/** Expected number of refusals of `total` equal requests of which at least one is accepted. */
function expectedRefusals(total: number, chance: number): number {
  return (total * (chance - chance ** total)) / (1 - chance ** total);
}
