// Finds the smallest explanation of refusals, and tells causes from refusals at random.
import { withoutNulls } from './accepted-nulls.ts';
import { limitOf, sizeFeatures, sizeOf, withoutSizes } from './body-size.ts';
import { type Candidate, Candidates, CHANCE, type RequestRow } from './candidates.ts';
import { exchangesOf, type Share, shareOf } from './share.ts';

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
 * explain it as well, and a long list of causes only where it is shorter than the list of the refused requests. The size of bodies
 * stands for several causes: one of several is then the smaller explanation.
 */
export function explain(asked: readonly RequestRow[], noise: number): readonly Explanation[] {
  const rows = asked.map(withoutNulls);
  const all = shareOf(rows);
  if (all.refused === 0) return [];
  if (all.refused === all.total && noise ** all.total <= CHANCE)
    return [{ kind: 'everything', all, exchanges: exchangesOf(rows.filter((row) => row.refused > 0)) }];
  const found = explainByFeatures(withoutSizes(rows), noise);
  if (weightOf(found) <= STANDS_FOR) return found;
  const sized = explainBySize(rows, noise);
  return sized !== null && weightOf(sized) + STANDS_FOR <= weightOf(found) ? sized : found;
}

/** So many causes fewer are named, at least, where the size of bodies is one. */
const STANDS_FOR = 2;

/** Causes to name, and refusals that remain without any. */
function weightOf(found: readonly Explanation[]): number {
  return found.reduce(
    (sum, one) => sum + (one.kind === 'features' ? 1 : one.kind === 'everything' ? 0 : one.all.refused),
    0,
  );
}

/** Causes among the features of requests, and what remains. */
function explainByFeatures(rows: readonly RequestRow[], noise: number): readonly Explanation[] {
  const refused = rows.filter((row) => row.refused > 0);
  const all = causesOf(rows, noise);
  // Where chance explains the refusals as briefly, those causes remain that it does not explain even if all refusals were random.
  const certain = isTooLong(all, rows) ? causesOf(rows, Math.max(noise, rateOf(shareOf(rows)))) : all;
  const causes = isTooLong(certain, rows) ? [] : certain;
  const found = causes.map((cause) => explanationOf(cause, rows));
  const isLeft = (row: RequestRow) => !causes.some(({ holds }) => holds(row));
  const rest = refused.filter(isLeft);
  if (rest.length === 0) return found;
  const exchanges = exchangesOf(rest);
  if (noise === 0) return [...found, { kind: 'unexplained', all: shareOf(rest), exchanges }];
  const left = shareOf(rows.filter(isLeft));
  // Few requests are sent twice, so they may show too low a rate: what no cause explains is refused at random, too.
  if (causes.length > 0 && rateOf(left) > noise) return explainByFeatures(rows, rateOf(left));
  return [...found, { kind: 'inconsistent', all: left, exchanges }];
}

/** Features that only refused requests have, those first that explain most, until nothing is left or nothing explains it. */
function causesOf(rows: readonly RequestRow[], noise: number): readonly Candidate[] {
  const candidates = new Candidates(rows, noise);
  const causes: Candidate[] = [];
  let left: readonly RequestRow[] = rows.filter((row) => row.refused > 0);
  for (let best = candidates.best(left); best !== null; best = candidates.best(left)) {
    causes.push(best);
    const { holds } = best;
    left = left.filter((row) => !holds(row));
  }
  return withoutSpare(causes, rows);
}

/** Without the causes of which others explain every refusal: a parameter is found before the pair that explains its requests, too. */
function withoutSpare(causes: readonly Candidate[], rows: readonly RequestRow[]): readonly Candidate[] {
  const refused = rows.filter((row) => row.refused > 0);
  return causes.reduce<readonly Candidate[]>((kept, cause) => {
    const others = kept.filter((one) => one !== cause);
    const isSpare = refused.every((row) => !cause.holds(row) || others.some(({ holds }) => holds(row)));
    return isSpare ? others : kept;
  }, causes);
}

/** Refusals of great bodies that show their size to be the cause. */
const GREAT = 3;

/**
 * The size from which on nothing was accepted, and causes of what was refused below it; null where that may be chance. The limit of the
 * target may be anywhere above the greatest accepted body, so refusals of that size belong to it as well.
 */
function explainBySize(rows: readonly RequestRow[], noise: number): readonly Explanation[] | null {
  const found = limitOf(rows);
  if (found === null) return null;
  const great = rows.filter(({ features }) => sizeOf(features) >= found.limit);
  const small = rows.filter((row) => !great.includes(row));
  const [inIt, without] = [shareOf(great), shareOf(small)];
  // Where refusals are random, the size is one of all features that a few of them may have in common.
  const among = noise === 0 ? 1 : new Set(rows.flatMap(({ features }) => features)).size;
  const chance = Math.max(noise, rateOf(shareOf(rows))) ** inIt.refused;
  if (inIt.refused < GREAT || chance * among > CHANCE) return null;
  const near = small.filter((row) => row.refused > 0 && sizeOf(row.features) === found.below);
  const cause: Explanation = {
    kind: 'features',
    features: sizeFeatures(found.limit),
    equivalent: [],
    with: inIt,
    without,
    exchanges: exchangesOf([...near, ...great]),
  };
  const others = withoutSizes(
    small.map((row) => (near.includes(row) ? { ...row, refused: 0, exchanges: [] } : row)),
  );
  return [cause, ...(shareOf(others).refused === 0 ? [] : explainByFeatures(others, noise))];
}

function rateOf({ refused, total }: Share): number {
  return total === 0 ? 0 : refused / total;
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

/** Whether the refused kinds of requests can be named one by one as briefly as these causes. */
function isTooLong(causes: readonly Candidate[], rows: readonly RequestRow[]): boolean {
  return causes.length > FEW && bitsOf(causes) > bitsOfChance(rows);
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
