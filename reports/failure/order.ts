// The order in which failures are shown: a reader mends the first ones first.
import type { RequirementVerdict } from '../../judge/verdict/verdict.ts';

/** Ids of requirements without which a client reads nothing of an answer: its media type, its JSON, the frame and the end of a stream. */
const READABLE =
  /:(?:answer|stream)#(?:json|contentType)$|\.stream\.(?:done-ends-stream|one-data-line|refused-by-status)$/;

/** Fields that are missing: most clients never look at the rarer ones. */
const MISSING = /#(?:required|expected)$/;

/**
 * Failures by what they break, otherwise in the given order: answers that no client can read, wrong values and behaviour, missing
 * fields, and last invalid requests that were accepted, of which a target without validation has many.
 */
export function byDamage<R extends Pick<RequirementVerdict, 'id' | 'kind'>>(
  broken: readonly R[],
): readonly R[] {
  return broken.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ id, kind }: Pick<RequirementVerdict, 'id' | 'kind'>): number {
  if (kind === 'rejected') return 3;
  if (READABLE.test(id)) return 0;
  return MISSING.test(id) ? 2 : 1;
}
