import { acceptedLimit, reachedSize, sizeFeatures, withoutSizes } from '../judge/acceptance/body-size.ts';
import { type RequestRow, rateOf, type Share, shareOf } from '../judge/requirements/acceptance-facts.ts';
import { numberOf } from '../judge/trace/timed.ts';
import { type Candidate, Candidates, MAX_CHANCE } from './candidates.ts';

/** Body size is reported instead of other causes if that shortens the list by at least this many. */
const MIN_CAUSES_SAVED = 2;
const MIN_LARGE_REFUSALS = 3;
/** Up to this many causes are reported even if they explain fewer than `MIN_ROWS_PER_CAUSE` kinds of requests each. */
const SHORT_LIST_LENGTH = 3;
const MIN_ROWS_PER_CAUSE = 2;
const NULL_SUFFIX = '=null';

export type Explanation =
  | {
      readonly kind: 'features';
      readonly features: readonly string[];
      readonly equivalent: readonly (readonly string[])[];
      readonly with: Share;
      readonly without: Share;
      readonly exchanges: readonly string[];
    }
  | {
      readonly kind: 'everything' | 'inconsistent' | 'unexplained';
      readonly all: Share;
      readonly exchanges: readonly string[];
    };

/**
 * `noise`: the probability that a request is refused whatever its content; 0 for a target that treats equal requests
 * alike. Body size correlates with other features, so it is reported only if it replaces several causes.
 */
export function explain(requests: readonly RequestRow[], noise: number): readonly Explanation[] {
  const rows = requests.map(withoutNulls);
  const all = shareOf(rows);
  if (all.refused === 0) return [];
  if (all.refused === all.total && noise ** all.total <= MAX_CHANCE)
    return [{ kind: 'everything', all, exchanges: listExchanges(rows.filter((row) => row.refused > 0)) }];
  const byFeatures = explainByFeatures(withoutSizes(rows), noise);
  if (countExplanations(byFeatures) <= MIN_CAUSES_SAVED) return byFeatures;
  const bySize = explainBySize(rows, noise);
  return bySize !== null && countExplanations(bySize) + MIN_CAUSES_SAVED <= countExplanations(byFeatures)
    ? bySize
    : byFeatures;
}

/** Each refusal that no cause explains counts as much as a cause. */
function countExplanations(explanations: readonly Explanation[]): number {
  return explanations.reduce((count, one) => count + (one.kind === 'features' ? 1 : one.all.refused), 0);
}

function explainByFeatures(rows: readonly RequestRow[], noise: number): readonly Explanation[] {
  const refused = rows.filter((row) => row.refused > 0);
  const likelyCauses = findCauses(rows, noise);
  const certainCauses = isTooLong(likelyCauses, rows)
    ? findCauses(rows, Math.max(noise, rateOf(shareOf(rows))))
    : likelyCauses;
  const causes = isTooLong(certainCauses, rows) ? [] : certainCauses;
  const explanations = causes.map((cause) => toExplanation(cause, rows));
  const isUnexplained = (row: RequestRow) => !causes.some(({ holds }) => holds(row));
  const unexplained = refused.filter(isUnexplained);
  if (unexplained.length === 0) return explanations;
  const exchanges = listExchanges(unexplained);
  if (noise === 0) return [...explanations, { kind: 'unexplained', all: shareOf(unexplained), exchanges }];
  const share = shareOf(rows.filter(isUnexplained));
  // Few requests are sent twice, so the estimated noise may be too low.
  if (causes.length > 0 && rateOf(share) > noise) return explainByFeatures(rows, rateOf(share));
  return [...explanations, { kind: 'inconsistent', all: share, exchanges }];
}

function findCauses(rows: readonly RequestRow[], noise: number): readonly Candidate[] {
  const candidates = new Candidates(rows, noise);
  const causes: Candidate[] = [];
  let remaining: readonly RequestRow[] = rows.filter((row) => row.refused > 0);
  for (let best = candidates.findBest(remaining); best !== null; best = candidates.findBest(remaining)) {
    causes.push(best);
    const { holds } = best;
    remaining = remaining.filter((row) => !holds(row));
  }
  return withoutRedundant(causes, rows);
}

function withoutRedundant(causes: readonly Candidate[], rows: readonly RequestRow[]): readonly Candidate[] {
  const refused = rows.filter((row) => row.refused > 0);
  let kept = causes;
  for (const cause of causes) {
    const others = kept.filter((one) => one !== cause);
    if (refused.every((row) => !cause.holds(row) || others.some(({ holds }) => holds(row)))) kept = others;
  }
  return kept;
}

/** Null without a limit, or if the limit may be chance. */
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
    exchanges: listExchanges([...near, ...large]),
  };
  const others = withoutSizes(
    small.map((row) => (near.includes(row) ? { ...row, refused: 0, exchanges: [] } : row)),
  );
  return [cause, ...(shareOf(others).refused === 0 ? [] : explainByFeatures(others, noise))];
}

function toExplanation({ features, equivalent, holds }: Candidate, rows: readonly RequestRow[]): Explanation {
  const covered = rows.filter(holds);
  return {
    kind: 'features',
    features,
    equivalent,
    with: shareOf(covered),
    without: shareOf(rows.filter((row) => !holds(row))),
    exchanges: listExchanges(covered),
  };
}

function isTooLong(causes: readonly Candidate[], rows: readonly RequestRow[]): boolean {
  return (
    causes.length > SHORT_LIST_LENGTH &&
    causes.length * MIN_ROWS_PER_CAUSE > rows.filter(({ refused }) => refused > 0).length
  );
}

export function listExchanges(rows: readonly RequestRow[]): readonly string[] {
  return rows.flatMap(({ exchanges }) => exchanges).toSorted((a, b) => numberOf(a) - numberOf(b));
}

/** Removes features whose value was null from an accepted row, as accepting null says nothing about other values. */
export function withoutNulls(row: RequestRow): RequestRow {
  if (row.accepted === 0) return row;
  // Features of list elements stay, because another element may have a value.
  const unset = row.features
    .filter((one) => one.endsWith(NULL_SUFFIX) && !one.includes('[]'))
    .map((one) => one.slice(0, -NULL_SUFFIX.length));
  return unset.length === 0 ? row : { ...row, features: row.features.filter((one) => !unset.includes(one)) };
}
