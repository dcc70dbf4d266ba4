import { unfolded } from '../evidence/selector-dispatch.ts';
import type { Evidence, Selector } from '../requirements/requirement.ts';
import type { NeededCondition, NeededEvidence } from './needed.ts';

/**
 * The evidence that a selector picks, as far as the evidence that came nearest: up to the first condition that nothing met.
 * `met`: how many that met; undefined without any. Null where a selector or a condition does not say what it needs.
 */
export function neededEvidence(selector: Selector<Evidence>, met: number | undefined): NeededEvidence | null {
  const [only, ...others] = unfolded(selector);
  if (only === undefined || others.length > 0) return null;
  const { whole, conditions } = only;
  const inner =
    whole.around === undefined ? { evidence: whole.needs, conditions: [] } : everythingOf(whole.around);
  const asked = met === undefined ? [] : conditions.slice(0, met + 1);
  const own = asked.map(({ needs }) => needs);
  return inner?.evidence === undefined || !own.every(isSaid)
    ? null
    : { evidence: inner.evidence, conditions: [...inner.conditions, ...own] };
}

/** All that the inner selector of another one needs: which of its conditions was not met is not known. */
function everythingOf(selector: Selector<Evidence>): NeededEvidence | null {
  return neededEvidence(selector, Number.POSITIVE_INFINITY);
}

function isSaid(condition: NeededCondition | undefined): condition is NeededCondition {
  return condition !== undefined;
}
