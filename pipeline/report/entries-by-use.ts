// Why a baseline has more or fewer entries than failures and missing decisions are accepted.

import type { Baseline } from '../../judge/baseline/baseline.ts';
import { causeParts } from '../../judge/requirements/refusals.ts';
import { isConsequence } from '../../judge/verdict/failure-count.ts';
import type { Judgement, RequirementVerdict } from '../../judge/verdict/verdict.ts';

/** Entries of a baseline by what they have to do with a judgement. */
export interface EntriesByUse {
  /** Entries that are for causes, and how many requirements they are for: one may have several causes, and a cause several requirements. */
  readonly causes: { readonly entries: number; readonly requirements: number };
  /** Entries of which the traffic shows nothing. */
  readonly unseen: number;
}

/** Sorts the entries of a baseline by what they have to do with a judgement. */
export function entriesByUse(
  { known }: Baseline,
  { requirements }: Pick<Judgement, 'requirements'>,
): EntriesByUse {
  const accepted = requirements.filter(({ baseline }) => baseline !== null);
  const seen = new Set(accepted.flatMap(idsFor));
  const used = known.filter(({ id }) => seen.has(id));
  const causes = new Set(used.flatMap(({ id }) => (causeParts(id) === null ? [] : [id])));
  const caused = accepted.filter((one) => !isConsequence(one) && idsFor(one).some((id) => causes.has(id)));
  return {
    causes: { entries: causes.size, requirements: caused.length },
    unseen: known.length - used.length,
  };
}

/** The ids by which an entry may accept a requirement: its own, and those of its causes. */
function idsFor({ id, findings, cause, consequenceOf = [] }: RequirementVerdict): readonly string[] {
  const faults = cause?.kind === 'breakdown' ? cause.faults.map((fault) => fault.id) : [];
  return [id, ...findings.flatMap(({ causeId }) => causeId ?? []), ...faults, ...consequenceOf];
}
