/** Requests that have the same features, and what became of them. */
export interface Row {
  /** Sorted, each once. Those that begin with `context.` are of the moment, not of the request. */
  readonly features: readonly string[];
  readonly accepted: number;
  readonly refused: number;
  /** Some of the exchanges that were refused, oldest first. */
  readonly exchanges: readonly string[];
}

/** How many requests were refused, of how many. */
export interface Share {
  readonly refused: number;
  readonly total: number;
}

/** Why requests of one operation are refused. */
export type Explanation =
  /** Each request with all these features is refused. `equivalent` are others that exactly these requests have. */
  | {
      readonly kind: 'features';
      readonly features: readonly string[];
      readonly equivalent: readonly (readonly string[])[];
      readonly with: Share;
      readonly without: Share;
      readonly exchanges: readonly string[];
    }
  /** Each request is refused. */
  | { readonly kind: 'everything'; readonly all: Share; readonly exchanges: readonly string[] }
  /** Requests that say the same are accepted once and refused another time. */
  | { readonly kind: 'inconsistent'; readonly all: Share; readonly exchanges: readonly string[] }
  /** No feature, and no pair of features, is common to refused requests alone. */
  | { readonly kind: 'unexplained'; readonly all: Share; readonly exchanges: readonly string[] };

/** Chance at which a cause may be taken for one though refusals are random. */
const CHANCE = 0.01;
/** Exchanges kept of one explanation. */
const KEPT = 20;

/**
 * The smallest explanation of what was refused: features that only refused requests have, those first that explain
 * most, then pairs of features. `noise` is the share of refusals that is random: the chance that a request is refused
 * whatever it says; 0 for a target that treats equal requests alike. A feature counts only where chance does not
 * explain it as well.
 */
export function explain(rows: readonly Row[], noise: number): readonly Explanation[] {
  const all = shareOf(rows);
  if (all.refused === 0) return [];
  const refused = rows.filter((row) => row.refused > 0);
  if (all.refused === all.total && noise ** all.total <= CHANCE)
    return [{ kind: 'everything', all, exchanges: exchangesOf(refused) }];
  const candidates = new Candidates(rows, noise);
  const found: Explanation[] = [];
  let left: readonly Row[] = refused;
  for (let best = candidates.best(left); best !== null; best = candidates.best(left)) {
    const { features, holds } = best;
    const covered = rows.filter(holds);
    found.push({
      kind: 'features',
      features,
      equivalent: best.equivalent,
      with: shareOf(covered),
      without: shareOf(rows.filter((row) => !holds(row))),
      exchanges: exchangesOf(covered),
    });
    left = left.filter((row) => !holds(row));
  }
  if (left.length === 0) return found;
  const kind = noise > 0 ? 'inconsistent' : 'unexplained';
  return [...found, { kind, all: shareOf(left), exchanges: exchangesOf(left) }];
}

/**
 * How many requests were refused of those that were accepted another time, though they say the same: rows that differ
 * in nothing, or in the moment alone. None where one moment tells all refused ones from all accepted ones.
 */
export function noiseIn(rows: readonly Row[]): Share {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = row.features.filter((one) => !isOfMoment(one)).join(' ');
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const torn = [...groups.values()].filter((group) => {
    const { refused, total } = shareOf(group);
    return refused > 0 && refused < total;
  });
  const moments = new Set(torn.flat().flatMap(({ features }) => features.filter(isOfMoment)));
  const isClear = [...moments].some((moment) =>
    torn.flat().every((row) => (row.features.includes(moment) ? row.accepted : row.refused) === 0),
  );
  return isClear ? { refused: 0, total: 0 } : shareOf(torn.flat());
}

/** The moment that all of many rows were refused in and none accepted, where there is one; the one that covers most. */
export function decisiveMoment(rows: readonly Row[]): string | null {
  const moments = new Set(rows.flatMap(({ features }) => features.filter(isOfMoment)));
  const pure = [...moments].flatMap((moment) => {
    const { refused, total } = shareOf(rows.filter(({ features }) => features.includes(moment)));
    return refused === total ? [{ moment, total }] : [];
  });
  return pure.toSorted((a, b) => b.total - a.total)[0]?.moment ?? null;
}

interface Candidate {
  readonly features: readonly string[];
  readonly equivalent: readonly (readonly string[])[];
  readonly holds: (row: Row) => boolean;
}

class Candidates {
  readonly #rows: readonly Row[];
  readonly #noise: number;

  constructor(rows: readonly Row[], noise: number) {
    this.#rows = rows;
    this.#noise = noise;
  }

  /** The feature, or else the pair, that explains most of what is left; null where none explains anything. */
  best(left: readonly Row[]): Candidate | null {
    const singles = new Set(left.flatMap(({ features }) => features));
    return (
      this.#choose(
        [...singles].map((one) => [one]),
        left,
      ) ?? this.#choose(pairsIn(left), left)
    );
  }

  #choose(sets: readonly (readonly string[])[], left: readonly Row[]): Candidate | null {
    const pure = sets.flatMap((features) => {
      const holds = holding(features);
      const covered = this.#rows.filter(holds);
      const { refused, total } = shareOf(covered);
      if (refused < total || this.#noise ** refused * sets.length > CHANCE) return [];
      const explained = shareOf(left.filter(holds)).refused;
      return explained === 0 ? [] : [{ features, holds, covered, explained }];
    });
    const [first, ...others] = pure.toSorted(
      (a, b) => b.explained - a.explained || order(a.features, b.features),
    );
    if (first === undefined) return null;
    const equivalent = others
      .filter(({ covered }) => covered.length === first.covered.length && covered.every(first.holds))
      .map(({ features }) => features);
    return { features: first.features, holds: first.holds, equivalent };
  }
}

function holding(features: readonly string[]): (row: Row) => boolean {
  return (row) => features.every((feature) => row.features.includes(feature));
}

function pairsIn(rows: readonly Row[]): readonly (readonly string[])[] {
  const pairs = new Map<string, readonly string[]>();
  for (const { features } of rows) {
    features.forEach((a, i) => {
      for (const b of features.slice(i + 1)) pairs.set(`${a} ${b}`, [a, b]);
    });
  }
  return [...pairs.values()];
}

/** What a request says comes before the moment, what is shorter before what is longer. */
function order(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [a.join(' '), b.join(' ')];
  const moments = Number(a.some(isOfMoment)) - Number(b.some(isOfMoment));
  return moments || one.length - other.length || (one < other ? -1 : 1);
}

function isOfMoment(feature: string): boolean {
  return feature.startsWith('context.');
}

/** How many of the requests of these rows were refused. */
export function shareOf(rows: readonly Row[]): Share {
  const refused = rows.reduce((sum, row) => sum + row.refused, 0);
  return { refused, total: rows.reduce((sum, row) => sum + row.accepted, refused) };
}

/** Some of the refused exchanges of these rows. */
export function exchangesOf(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ exchanges }) => exchanges).slice(0, KEPT);
}
