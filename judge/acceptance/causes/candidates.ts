// Features, and pairs of features, that only refused requests have.
import { isOfMoment } from './moments.ts';

/** Requests that have the same features, and what became of them. */
export interface RequestRow {
  /** Sorted, each once. Those that begin with `context.` are of the moment, not of the request. */
  readonly features: readonly string[];
  readonly accepted: number;
  readonly refused: number;
  /** Some of the exchanges that were refused, oldest first. */
  readonly exchanges: readonly string[];
}

/** Chance at which a cause may be taken for one though refusals are random. */
export const CHANCE = 0.01;
/**
 * The same for a feature of refused requests, of a target that refuses others at random. Causes are looked for in every operation and in
 * every run: at `CHANCE`, a report of such a target would often name a wrong one.
 */
const CHANCE_IN_NOISE = 0.001;
/** Features that are paired: pairs grow with the square. */
const PAIRED = 400;

/** A set of features that only refused requests have. */
export interface Candidate {
  readonly features: readonly string[];
  /** Other sets that exactly the same requests have. */
  readonly equivalent: readonly (readonly string[])[];
  readonly holds: (row: RequestRow) => boolean;
  /** How many sets it was chosen from. */
  readonly among: number;
}

/** Rows as bits, the first in the lowest bit of the first word. */
type Bits = Uint32Array;

/** Finds causes in one set of rows. Sets of rows are bits, so that thousands of pairs cost little. */
export class Candidates {
  readonly #rows: readonly RequestRow[];
  readonly #noise: number;
  readonly #places: ReadonlyMap<RequestRow, number>;
  /** By feature the rows that have it. */
  readonly #having = new Map<string, Bits>();
  /** Rows of which a request was accepted. */
  readonly #accepted: Bits;
  /** Of features that different rows have, how many requests have them. */
  #totals: readonly number[] | null = null;

  constructor(rows: readonly RequestRow[], noise: number) {
    this.#rows = rows;
    this.#noise = noise;
    this.#places = new Map(rows.map((row, place) => [row, place]));
    this.#accepted = this.#bitsOf(rows.filter(({ accepted }) => accepted > 0));
    for (const [place, { features }] of rows.entries())
      for (const feature of features) {
        const bits = this.#having.get(feature) ?? this.#bitsOf([]);
        this.#having.set(feature, bits);
        add(bits, place);
      }
  }

  /** The feature, or else the pair, that explains most of what is left; null where none explains anything. */
  best(left: readonly RequestRow[]): Candidate | null {
    const singles = [...new Set(left.flatMap(({ features }) => features))];
    const own = this.#bitsOf(left);
    return (
      this.#choose(
        singles.map((one) => [one]),
        own,
      ) ?? this.#choose(pairsOf(singles.slice(0, PAIRED)), own)
    );
  }

  #choose(sets: readonly (readonly string[])[], left: Bits): Candidate | null {
    const pure = sets.flatMap((features) => {
      const rows = this.#rowsWith(features);
      if (overlaps(rows, this.#accepted)) return [];
      const explained = this.#refusedIn(both(rows, left));
      if (explained === 0 || this.#isChance(this.#refusedIn(rows), sets)) return [];
      return [{ features, rows, explained }];
    });
    const [first, ...others] = pure.toSorted(
      (a, b) => b.explained - a.explained || order(a.features, b.features),
    );
    if (first === undefined) return null;
    const { features, rows } = first;
    return {
      features,
      equivalent: others.filter((one) => isEqual(one.rows, rows)).map((one) => one.features),
      holds: (row) => features.every((feature) => row.features.includes(feature)),
      among: sets.length,
    };
  }

  /** Whether so many refused requests may have the same features though refusals are random: as many others might have had as many. */
  #isChance(refused: number, sets: readonly (readonly string[])[]): boolean {
    if (this.#noise === 0) return false;
    const arePairs = (sets[0]?.length ?? 0) > 1;
    const among = arePairs
      ? sets.length
      : this.#totalsOfFeatures().filter((total) => total >= refused).length;
    return this.#noise ** refused * among > CHANCE_IN_NOISE;
  }

  #totalsOfFeatures(): readonly number[] {
    if (this.#totals !== null) return this.#totals;
    const distinct = new Map([...this.#having.values()].map((bits) => [bits.join(' '), bits]));
    this.#totals = [...distinct.values()].map((bits) =>
      this.#rows.reduce(
        (sum, { accepted, refused }, i) => (contains(bits, i) ? sum + accepted + refused : sum),
        0,
      ),
    );
    return this.#totals;
  }

  #rowsWith([first = '', second]: readonly string[]): Bits {
    const bits = this.#having.get(first) ?? this.#bitsOf([]);
    return second === undefined ? bits : both(bits, this.#having.get(second) ?? this.#bitsOf([]));
  }

  #refusedIn(bits: Bits): number {
    let sum = 0;
    for (const [word, value] of bits.entries()) {
      if (value === 0) continue;
      for (let bit = 0; bit < 32; bit += 1)
        if ((value & (1 << bit)) !== 0) sum += this.#rows[word * 32 + bit]?.refused ?? 0;
    }
    return sum;
  }

  #bitsOf(rows: readonly RequestRow[]): Bits {
    const bits = new Uint32Array(Math.ceil(this.#rows.length / 32));
    for (const row of rows) add(bits, this.#places.get(row) ?? 0);
    return bits;
  }
}

/** Adds the row at a place. */
function add(bits: Bits, place: number): void {
  const word = place >>> 5;
  bits[word] = (bits[word] ?? 0) | (1 << (place & 31));
}

function contains(bits: Bits, place: number): boolean {
  return ((bits[place >>> 5] ?? 0) & (1 << (place & 31))) !== 0;
}

/** The rows in both sets. */
function both(a: Bits, b: Bits): Bits {
  return a.map((word, i) => word & (b[i] ?? 0));
}

/** Whether a row is in both sets. */
function overlaps(a: Bits, b: Bits): boolean {
  return a.some((word, i) => (word & (b[i] ?? 0)) !== 0);
}

function isEqual(a: Bits, b: Bits): boolean {
  return a.every((word, i) => word === b[i]);
}

/** Each two features, in the order of their names. */
function pairsOf(features: readonly string[]): readonly (readonly string[])[] {
  return features.toSorted().flatMap((a, i, all) => all.slice(i + 1).map((b) => [a, b]));
}

/** What a request says comes before the moment, what is shorter before what is longer. */
function order(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [a.join(' '), b.join(' ')];
  const moments = Number(a.some(isOfMoment)) - Number(b.some(isOfMoment));
  return moments || one.length - other.length || (one < other ? -1 : 1);
}
