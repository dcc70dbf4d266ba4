// How often a target refuses at random: requests that are equal are accepted once and refused another time.
import type { RequestRow } from './candidates.ts';
import { momentsOf } from './moment-causes.ts';
import { isOfMoment } from './moments.ts';

/** Outcomes of equal requests. */
interface EqualRequests {
  readonly refused: number;
  readonly total: number;
}

/** The chance that a request of an operation is refused whatever it says; 0 for a target that treats equal requests alike. */
export type Noise = (subject: string) => number;

/**
 * Estimates the chance by the requests that were sent several times, a row for each moment, by operation. 0 for all where in one moment
 * all of them are refused, and equal ones only then. Operations whose equal requests show nothing are taken for as noisy as the others.
 */
export function noiseIn(repeats: ReadonlyMap<string, readonly RequestRow[]>): Noise {
  const noisy = [...repeats].filter(([, rows]) => tornIn(rows).length > 0);
  const torn = noisy.flatMap(([, rows]) => tornIn(rows));
  const all = noisy.flatMap(([, rows]) => rows);
  const isClear = momentsOf(torn).some(
    (moment) =>
      torn.every(({ features, refused }) => features.includes(moment) || refused === 0) &&
      all.every(({ features, accepted }) => !features.includes(moment) || accepted === 0),
  );
  if (torn.length === 0 || isClear) return () => 0;
  const shares = new Map(noisy.map(([subject, rows]) => [subject, randomShare(equalIn(rows))]));
  const ofAll = randomShare(noisy.flatMap(([, rows]) => equalIn(rows)));
  return (subject) => shares.get(subject) ?? ofAll;
}

/** Rows of equal requests: they differ in the moment alone. */
function groupsIn(rows: readonly RequestRow[]): readonly (readonly RequestRow[])[] {
  const groups = new Map<string, RequestRow[]>();
  for (const row of rows) {
    const key = row.features.filter((one) => !isOfMoment(one)).join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

function tornIn(rows: readonly RequestRow[]): readonly RequestRow[] {
  return groupsIn(rows)
    .filter((group) => group.some(({ accepted }) => accepted > 0) && group.some(({ refused }) => refused > 0))
    .flat();
}

/** Equal requests of which one was accepted at least: of those that are always refused a cause is to be found. */
function equalIn(rows: readonly RequestRow[]): readonly EqualRequests[] {
  return groupsIn(rows).flatMap((group) => {
    const refused = group.reduce((sum, row) => sum + row.refused, 0);
    const accepted = group.reduce((sum, row) => sum + row.accepted, 0);
    return accepted === 0 || accepted + refused < 2 ? [] : [{ refused, total: accepted + refused }];
  });
}

/** Halvings of an interval of 1 until it is as short as makes no difference. */
const HALVINGS = 20;

/** The chance under which as many refusals are expected as there were, given that each group has an accepted request. */
function randomShare(groups: readonly EqualRequests[]): number {
  const refused = groups.reduce((sum, group) => sum + group.refused, 0);
  let [least, most] = [0, 1];
  for (let i = 0; i < HALVINGS; i += 1) {
    const chance = (least + most) / 2;
    const expected = groups.reduce((sum, { total }) => sum + expectedOf(total, chance), 0);
    if (expected < refused) least = chance;
    else most = chance;
  }
  return most;
}

/** Refusals that are expected among so many equal requests, unless all of them are refused. */
function expectedOf(total: number, chance: number): number {
  return (total * (chance - chance ** total)) / (1 - chance ** total);
}
