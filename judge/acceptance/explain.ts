// Finds the smallest explanation of refusals, and tells causes from refusals at random.
import { numberOf } from '../partial/earliest.ts';
import { type Candidate, Candidates, CHANCE, type RequestRow } from './candidates.ts';
import { isOfMoment } from './moments.ts';

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

/** So many causes are named without asking whether chance explains the refusals as briefly. */
const FEW = 3;

/**
 * The smallest explanation of what was refused: features that only refused requests have, those first that explain
 * most, then pairs of features. `noise` is the share of refusals that is random: the chance that a request is refused
 * whatever it says; 0 for a target that treats equal requests alike. A feature counts only where chance does not
 * explain it as well, and a long list of causes only where it is shorter than the list of the refused requests.
 */
export function explain(rows: readonly RequestRow[], noise: number): readonly Explanation[] {
  const all = shareOf(rows);
  if (all.refused === 0) return [];
  const refused = rows.filter((row) => row.refused > 0);
  if (all.refused === all.total && noise ** all.total <= CHANCE)
    return [{ kind: 'everything', all, exchanges: exchangesOf(refused) }];
  const candidates = new Candidates(rows, noise);
  const causes: Candidate[] = [];
  let left: readonly RequestRow[] = refused;
  for (let best = candidates.best(left); best !== null; best = candidates.best(left)) {
    causes.push(best);
    const { holds } = best;
    left = left.filter((row) => !holds(row));
  }
  const isTooLong = causes.length > FEW && bitsOf(causes) > bitsOfChance(rows);
  const found = isTooLong ? [] : causes.map((cause) => explanationOf(cause, rows));
  const rest = isTooLong ? refused : left;
  if (rest.length === 0) return found;
  const exchanges = exchangesOf(rest);
  if (noise === 0) return [...found, { kind: 'unexplained', all: shareOf(rest), exchanges }];
  const others = rows.filter((row) => causes.every(({ holds }) => isTooLong || !holds(row)));
  return [...found, { kind: 'inconsistent', all: shareOf(others), exchanges }];
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

/** Bits that it takes to name these causes among all that could have been named. */
function bitsOf(causes: readonly Candidate[]): number {
  return causes.reduce((sum, { among }) => sum + Math.log2(among), 0);
}

/** Bits that it takes to name the refused kinds of requests one by one: entropy of a coin of the same share. */
function bitsOfChance(rows: readonly RequestRow[]): number {
  const share = rows.filter(({ refused }) => refused > 0).length / rows.length;
  const bits = (part: number) => (part === 0 ? 0 : -part * Math.log2(part));
  return rows.length * (bits(share) + bits(1 - share));
}

/**
 * How many requests were refused of those that were accepted another time, though they say the same: rows that differ
 * in nothing, or in the moment alone. None where one moment tells all refused ones from all accepted ones.
 */
export function noiseIn(rows: readonly RequestRow[]): Share {
  const groups = new Map<string, RequestRow[]>();
  for (const row of rows) {
    const key = row.features.filter((one) => !isOfMoment(one)).join(' ');
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const torn = [...groups.values()].filter((group) => {
    const { refused, total } = shareOf(group);
    return refused > 0 && refused < total;
  });
  const moments = momentsOf(torn.flat());
  const isClear = moments.some((moment) =>
    torn.flat().every((row) => (row.features.includes(moment) ? row.accepted : row.refused) === 0),
  );
  return isClear ? { refused: 0, total: 0 } : shareOf(torn.flat());
}

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
 * still accepts some. That with the greatest difference, in standard errors of the two shares.
 */
export function likelyMoment(rows: readonly RequestRow[]): string | null {
  const moments = momentsOf(rows);
  const likely = moments.flatMap((moment) => {
    const inIt = shareOf(rows.filter(({ features }) => features.includes(moment)));
    const other = shareOf(rows.filter(({ features }) => !features.includes(moment)));
    const errors = difference(inIt, other);
    return errors < CLEAR || rateOf(inIt) < 2 * rateOf(other) ? [] : [{ moment, errors }];
  });
  return likely.toSorted((a, b) => b.errors - a.errors)[0]?.moment ?? null;
}

/** The moments in which any of these requests was sent, each once. */
function momentsOf(rows: readonly RequestRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ features }) => features.filter(isOfMoment)))];
}

/** Standard errors by which two shares have to differ: chance does so once in 30,000. */
const CLEAR = 4;

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

/** How many of the requests of these rows were refused. */
export function shareOf(rows: readonly RequestRow[]): Share {
  const refused = rows.reduce((sum, row) => sum + row.refused, 0);
  return { refused, total: rows.reduce((sum, row) => sum + row.accepted, refused) };
}

/** The refused exchanges of these rows that are known, by their numbers. */
export function exchangesOf(rows: readonly RequestRow[]): readonly string[] {
  return rows.flatMap(({ exchanges }) => exchanges).toSorted((a, b) => numberOf(a) - numberOf(b));
}
