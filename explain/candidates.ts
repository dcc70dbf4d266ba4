import { isMomentFeature } from '../judge/acceptance/moments.ts';
import type { RequestRow } from '../judge/requirements/acceptance-facts.ts';

/** Maximum probability that a reported cause is due to chance. */
export const MAX_CHANCE = 0.01;
/** Like `MAX_CHANCE`, for sets of features. It is lower because each operation may get a false cause. */
const MAX_CHANCE_OF_FEATURES = 0.001;
/** Maximum number of features to pair; the number of pairs is quadratic. */
const MAX_PAIRED_FEATURES = 400;

export interface Candidate {
  readonly features: readonly string[];
  /** Other sets of features that exactly the same rows have. */
  readonly equivalent: readonly (readonly string[])[];
  readonly holds: (row: RequestRow) => boolean;
  /** Number of sets that were tested: the more there are, the likelier it is that one fits by chance. */
  readonly setsTested: number;
}

/** A set of rows is a bit mask, which makes testing thousands of pairs cheap. */
export class Candidates {
  readonly #rows: readonly RequestRow[];
  /** Probability that the target refuses a valid request at random. */
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

  /** `remaining`: the refused rows that no earlier cause explains. */
  findBest(remaining: readonly RequestRow[]): Candidate | null {
    const features = [...new Set(remaining.flatMap((row) => row.features))];
    const singles = features.map((feature) => [feature]);
    const best = this.#chooseBest(singles, remaining);
    return best ?? this.#chooseBest(pairsOf(features.slice(0, MAX_PAIRED_FEATURES)), remaining);
  }

  #chooseBest(sets: readonly (readonly string[])[], remaining: readonly RequestRow[]): Candidate | null {
    const remainingBits = this.#bitsOf(remaining);
    const pure = sets.flatMap((features) => {
      const rows = this.#rowsWith(features);
      if ((rows & this.#accepted) !== 0n || (rows & remainingBits) === 0n) return [];
      const explained = this.#sum(rows & remainingBits, ({ refused }) => refused);
      const refused = this.#sum(rows, (row) => row.refused);
      if (this.#isChance(refused, sets)) return [];
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
    // A feature of fewer requests cannot have this many refusals.
    const setsTested = arePairs ? sets.length : this.#totals.filter((total) => total >= refused).length;
    return this.#noise ** refused * setsTested > MAX_CHANCE_OF_FEATURES;
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
  const [textA, textB] = [a.join(' '), b.join(' ')];
  const momentsLast = Number(a.some(isMomentFeature)) - Number(b.some(isMomentFeature));
  return momentsLast || textA.length - textB.length || (textA < textB ? -1 : 1);
}
