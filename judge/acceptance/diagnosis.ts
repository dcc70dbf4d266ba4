import {
  decisiveMoment,
  type Explanation,
  exchangesOf,
  explain,
  noiseIn,
  type Row,
  type Share,
  shareOf,
} from './explain.ts';

/** One cause for which a target refuses requests that keep the specification, however many they are. */
export interface Diagnosis {
  readonly kind: Explanation['kind'];
  /** The features that only refused requests have, sorted; empty unless `kind` is `features`. */
  readonly features: readonly string[];
  /** Other sets of features that exactly these requests have. */
  readonly equivalent: readonly (readonly string[])[];
  /** Operations, with their variants, that refuse for it, and how many of their requests have the features and have them not. */
  readonly operations: readonly {
    readonly subject: string;
    readonly with: Share;
    readonly without: Share;
    /** Some of the refused exchanges, oldest first. */
    readonly exchanges: readonly string[];
  }[];
  /** Some of the exchanges that were refused for it, oldest first. */
  readonly exchanges: readonly string[];
}

const NONE: Share = { refused: 0, total: 0 };

/**
 * Explains what was refused, by operation; what has the same features in several operations is one cause. `repeats` are
 * the rows of requests that were sent several times, which show whether the target treats equal requests alike.
 */
export function diagnose(
  rows: ReadonlyMap<string, readonly Row[]>,
  repeats: readonly Row[],
): readonly Diagnosis[] {
  const noise = noiseIn(repeats);
  const rate = noise.total === 0 ? 0 : noise.refused / noise.total;
  const causes = new Map<string, Diagnosis>();
  const moment = inSeveral(rows) ? decisiveMoment([...rows.values()].flat()) : null;
  for (const [subject, own] of rows) {
    const isOfMoment = ({ features }: Row) => moment !== null && features.includes(moment);
    const ofMoment = own.filter(isOfMoment);
    const found = explain(
      own.filter((row) => !isOfMoment(row)),
      rate,
    );
    const whole = moment === null || ofMoment.length === 0 ? [] : [momentary(moment, own, ofMoment)];
    for (const one of [...whole, ...found]) {
      const key = one.kind === 'features' ? one.features.join(' ') : keyOf(one.kind, subject);
      const known = causes.get(key);
      causes.set(key, known === undefined ? made(one, subject) : joined(known, made(one, subject)));
    }
  }
  return [...causes.values()].toSorted((a, b) => refusedBy(b) - refusedBy(a));
}

/** Where one operation alone refuses, its own requests tell why. */
function inSeveral(rows: ReadonlyMap<string, readonly Row[]>): boolean {
  return [...rows.values()].filter((own) => shareOf(own).refused > 0).length > 1;
}

function momentary(moment: string, own: readonly Row[], ofMoment: readonly Row[]): Explanation {
  return {
    kind: 'features',
    features: [moment],
    equivalent: [],
    with: shareOf(ofMoment),
    without: shareOf(own.filter((row) => !ofMoment.includes(row))),
    exchanges: exchangesOf(ofMoment),
  };
}

/** Refusals at random are one cause for all operations. */
function keyOf(kind: Explanation['kind'], subject: string): string {
  return kind === 'inconsistent' ? kind : `${kind} ${subject}`;
}

function made(one: Explanation, subject: string): Diagnosis {
  const { kind, exchanges } = one;
  if (kind !== 'features') {
    const operations = [{ subject, with: one.all, without: NONE, exchanges }];
    return { kind, features: [], equivalent: [], operations, exchanges };
  }
  const operations = [{ subject, with: one.with, without: one.without, exchanges }];
  return { kind, features: one.features, equivalent: one.equivalent, operations, exchanges };
}

function joined(one: Diagnosis, other: Diagnosis): Diagnosis {
  const words = new Set(other.equivalent.map((features) => features.join(' ')));
  return {
    ...one,
    equivalent: one.equivalent.filter((features) => words.has(features.join(' '))),
    operations: [...one.operations, ...other.operations],
    exchanges: [...one.exchanges, ...other.exchanges],
  };
}

function refusedBy({ operations }: Diagnosis): number {
  return sumOf(operations.map((one) => one.with)).refused;
}

function sumOf(shares: readonly Share[]): Share {
  return {
    refused: shares.reduce((sum, { refused }) => sum + refused, 0),
    total: shares.reduce((sum, { total }) => sum + total, 0),
  };
}
