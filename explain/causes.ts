// Finds the smallest explanation of refusals, and distinguishes causes from random refusals.
import { acceptedLimit, reachedSize, sizeFeatures, withoutSizes } from '../judge/acceptance/body-size.ts';
import { isMomentFeature } from '../judge/acceptance/moments.ts';
import { type RequestRow, rateOf, type Share, shareOf } from '../judge/requirements/acceptance-facts.ts';
import { numberOf } from '../judge/trace/timed.ts';

export type Explanation =
  /** Requests with these features are always refused, or often under load. `equivalent`: other sets that they share. */
  | {
      readonly kind: 'features';
      readonly features: readonly string[];
      readonly equivalent: readonly (readonly string[])[];
      readonly with: Share;
      readonly without: Share;
      readonly exchanges: readonly string[];
    }
  /** `inconsistent`: equal requests are sometimes accepted; `unexplained`: no short list of features explains them. */
  | {
      readonly kind: 'everything' | 'inconsistent' | 'unexplained';
      readonly all: Share;
      readonly exchanges: readonly string[];
    };

/**
 * Finds the smallest explanation of refusals: features that only refused requests have, most common first, then pairs.
 * `noise`: the probability that a request is refused whatever its content; 0 for a target that treats equal requests
 * alike. A feature counts only if chance is an unlikely reason, and a long list only if each cause explains two kinds
 * of requests on average. Body size correlates with other features, so it is reported only if it replaces several.
 */
export function explain(requests: readonly RequestRow[], noise: number): readonly Explanation[] {
  const rows = requests.map(withoutNulls);
  const all = shareOf(rows);
  if (all.refused === 0) return [];
  if (all.refused === all.total && noise ** all.total <= MAX_CHANCE)
    return [{ kind: 'everything', all, exchanges: exchangesOf(rows.filter((row) => row.refused > 0)) }];
  const byFeatures = explainByFeatures(withoutSizes(rows), noise);
  if (countExplanations(byFeatures) <= MIN_CAUSES_SAVED) return byFeatures;
  const bySize = explainBySize(rows, noise);
  return bySize !== null && countExplanations(bySize) + MIN_CAUSES_SAVED <= countExplanations(byFeatures)
    ? bySize
    : byFeatures;
}

/** Body size is reported instead of other causes if that shortens the list by at least this many. */
const MIN_CAUSES_SAVED = 2;

/** Each refusal that no cause explains counts as much as a cause. */
function countExplanations(explanations: readonly Explanation[]): number {
  let count = 0;
  for (const one of explanations) {
    if (one.kind === 'features') count += 1;
    else if (one.kind !== 'everything') count += one.all.refused;
  }
  return count;
}

function explainByFeatures(rows: readonly RequestRow[], noise: number): readonly Explanation[] {
  const refused = rows.filter((row) => row.refused > 0);
  const all = causesOf(rows, noise);
  const certain = isTooLong(all, rows) ? causesOf(rows, Math.max(noise, rateOf(shareOf(rows)))) : all;
  const causes = isTooLong(certain, rows) ? [] : certain;
  const explanations = causes.map((cause) => explanationOf(cause, rows));
  const isUnexplained = (row: RequestRow) => !causes.some(({ holds }) => holds(row));
  const rest = refused.filter(isUnexplained);
  if (rest.length === 0) return explanations;
  const exchanges = exchangesOf(rest);
  if (noise === 0) return [...explanations, { kind: 'unexplained', all: shareOf(rest), exchanges }];
  const share = shareOf(rows.filter(isUnexplained));
  // Few requests are sent twice, so the estimated noise may be too low.
  if (causes.length > 0 && rateOf(share) > noise) return explainByFeatures(rows, rateOf(share));
  return [...explanations, { kind: 'inconsistent', all: share, exchanges }];
}

function causesOf(rows: readonly RequestRow[], noise: number): readonly Candidate[] {
  const candidates = new Candidates(rows, noise);
  const causes: Candidate[] = [];
  let left: readonly RequestRow[] = rows.filter((row) => row.refused > 0);
  for (let best = candidates.findBest(left); best !== null; best = candidates.findBest(left)) {
    causes.push(best);
    const { holds } = best;
    left = left.filter((row) => !holds(row));
  }
  return withoutRedundant(causes, rows);
}

/** Drops each cause whose refusals the other causes explain. */
function withoutRedundant(causes: readonly Candidate[], rows: readonly RequestRow[]): readonly Candidate[] {
  const refused = rows.filter((row) => row.refused > 0);
  let kept = causes;
  for (const cause of causes) {
    const others = kept.filter((one) => one !== cause);
    if (refused.every((row) => !cause.holds(row) || others.some(({ holds }) => holds(row)))) kept = others;
  }
  return kept;
}

const MIN_LARGE_REFUSALS = 3;

/** Explains refusals by a size limit, and those below it by features. Null without a limit, or if it may be chance. */
function explainBySize(rows: readonly RequestRow[], noise: number): readonly Explanation[] | null {
  const sizes = acceptedLimit(rows);
  if (sizes === null) return null;
  const large = rows.filter(({ features }) => reachedSize(features) >= sizes.limit);
  const small = rows.filter((row) => !large.includes(row));
  const share = shareOf(large);
  const setsTested = noise === 0 ? 1 : new Set(rows.flatMap(({ features }) => features)).size;
  const chance = Math.max(noise, rateOf(shareOf(rows))) ** share.refused;
  if (share.refused < MIN_LARGE_REFUSALS || chance * setsTested > MAX_CHANCE) return null;
  // The limit of the target may lie anywhere above the largest accepted body.
  const near = small.filter((row) => row.refused > 0 && reachedSize(row.features) === sizes.below);
  const cause: Explanation = {
    kind: 'features',
    features: sizeFeatures(sizes.limit),
    equivalent: [],
    with: share,
    without: shareOf(small),
    exchanges: exchangesOf([...near, ...large]),
  };
  const others = withoutSizes(
    small.map((row) => (near.includes(row) ? { ...row, refused: 0, exchanges: [] } : row)),
  );
  return [cause, ...(shareOf(others).refused === 0 ? [] : explainByFeatures(others, noise))];
}

function explanationOf({ features, equivalent, holds }: Candidate, rows: readonly RequestRow[]): Explanation {
  const covered = rows.filter(holds);
  return {
    kind: 'features',
    features,
    equivalent,
    with: shareOf(covered),
    without: shareOf(rows.filter((row) => !holds(row))),
    exchanges: exchangesOf(covered),
  };
}

function isTooLong(causes: readonly Candidate[], rows: readonly RequestRow[]): boolean {
  return (
    causes.length > SHORT_LIST &&
    causes.length * REFUSED_PER_CAUSE > rows.filter(({ refused }) => refused > 0).length
  );
}

/** Up to this many causes are reported even if they explain fewer than `REFUSED_PER_CAUSE` kinds of requests each. */
const SHORT_LIST = 3;
/** Kinds of requests that each cause of a long list must explain on average. */
const REFUSED_PER_CAUSE = 2;

/** Maximum probability that a reported cause is due to chance. */
export const MAX_CHANCE = 0.01;
/** Like `MAX_CHANCE`, for a target that refuses at random: there, each operation has a chance of a false cause. */
const MAX_CHANCE_IN_NOISE = 0.001;
/** Maximum number of features to pair; the number of pairs is quadratic. */
const MAX_PAIRED_FEATURES = 400;

export interface Candidate {
  readonly features: readonly string[];
  readonly equivalent: readonly (readonly string[])[];
  readonly holds: (row: RequestRow) => boolean;
  /** Number of sets that were tested: the more there are, the likelier it is that one fits by chance. */
  readonly setsTested: number;
}

/** Finds causes in a list of rows. Sets of rows are the bits of an integer, which makes thousands of pairs cheap. */
export class Candidates {
  readonly #rows: readonly RequestRow[];
  readonly #noise: number;
  readonly #bits: ReadonlyMap<RequestRow, bigint>;
  readonly #rowsByFeature = new Map<string, bigint>();
  readonly #accepted: bigint;
  #totals: readonly number[] | null = null;

  constructor(rows: readonly RequestRow[], noise: number) {
    this.#rows = rows;
    this.#noise = noise;
    this.#bits = new Map(rows.map((row, place) => [row, 1n << BigInt(place)]));
    this.#accepted = this.#bitsOf(rows.filter(({ accepted }) => accepted > 0));
    for (const [row, bit] of this.#bits)
      for (const feature of row.features) this.#rowsByFeature.set(feature, this.#rowsWith([feature]) | bit);
  }

  /** The feature, or else the pair, that explains the most refusals of the remaining rows; null if none does. */
  findBest(remaining: readonly RequestRow[]): Candidate | null {
    const features = [...new Set(remaining.flatMap((row) => row.features))];
    const singles = features.map((feature) => [feature]);
    const best = this.#choose(singles, remaining);
    return best ?? this.#choose(pairsOf(features.slice(0, MAX_PAIRED_FEATURES)), remaining);
  }

  #choose(sets: readonly (readonly string[])[], remaining: readonly RequestRow[]): Candidate | null {
    const remainingBits = this.#bitsOf(remaining);
    const pure = sets.flatMap((features) => {
      const rows = this.#rowsWith(features);
      if ((rows & this.#accepted) !== 0n || (rows & remainingBits) === 0n) return [];
      const explained = this.#sum(rows & remainingBits, ({ refused }) => refused);
      const refused = this.#sum(rows, (row) => row.refused);
      if (explained === 0 || this.#isChance(refused, sets)) return [];
      return [{ features, rows, explained }];
    });
    const [first, ...others] = pure.toSorted(
      (a, b) => b.explained - a.explained || compareSets(a.features, b.features),
    );
    if (first === undefined) return null;
    const { features, rows } = first;
    return {
      features,
      equivalent: others.filter((other) => other.rows === rows).map((other) => other.features),
      holds: (row) => features.every((feature) => row.features.includes(feature)),
      setsTested: sets.length,
    };
  }

  #isChance(refused: number, sets: readonly (readonly string[])[]): boolean {
    if (this.#noise === 0) return false;
    const arePairs = (sets[0]?.length ?? 0) > 1;
    this.#totals ??= [...new Set(this.#rowsByFeature.values())].map((rows) =>
      this.#sum(rows, (row) => row.accepted + row.refused),
    );
    const setsTested = arePairs ? sets.length : this.#totals.filter((total) => total >= refused).length;
    return this.#noise ** refused * setsTested > MAX_CHANCE_IN_NOISE;
  }

  #rowsWith(features: readonly string[]): bigint {
    return features
      .map((feature) => this.#rowsByFeature.get(feature) ?? 0n)
      .reduce((rows, others) => rows & others);
  }

  #sum(rows: bigint, countOf: (row: RequestRow) => number): number {
    let sum = 0;
    for (const row of this.#rows) if ((rows & (this.#bits.get(row) ?? 0n)) !== 0n) sum += countOf(row);
    return sum;
  }

  #bitsOf(rows: readonly RequestRow[]): bigint {
    return rows.reduce((all, row) => all | (this.#bits.get(row) ?? 0n), 0n);
  }
}

function pairsOf(features: readonly string[]): readonly (readonly string[])[] {
  return features.toSorted().flatMap((a, i, all) => all.slice(i + 1).map((b) => [a, b]));
}

function compareSets(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [a.join(' '), b.join(' ')];
  const moments = Number(a.some(isMomentFeature)) - Number(b.some(isMomentFeature));
  return moments || one.length - other.length || (one < other ? -1 : 1);
}

/** Ids of the refused exchanges of these rows, in the order in which they began. */
export function exchangesOf(rows: readonly RequestRow[]): readonly string[] {
  return rows.flatMap(({ exchanges }) => exchanges).toSorted((a, b) => numberOf(a) - numberOf(b));
}

const NULL_SUFFIX = '=null';

/** Removes features whose value was null from an accepted row, as accepting null says nothing about other values. */
export function withoutNulls(row: RequestRow): RequestRow {
  if (row.accepted === 0) return row;
  // Features of list elements stay, because another element may have a value.
  const unset = row.features
    .filter((one) => one.endsWith(NULL_SUFFIX) && !one.includes('[]'))
    .map((one) => one.slice(0, -NULL_SUFFIX.length));
  return unset.length === 0 ? row : { ...row, features: row.features.filter((one) => !unset.includes(one)) };
}
