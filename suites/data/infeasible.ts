import type { Exchange } from '../../exchange/exchange.ts';
import type { InfeasibleRequirement, RequirementSet } from '../../judge/requirements/catalogue.ts';
import type { ResultSink } from '../../judge/requirements/evaluator.ts';
import type { Exclusion, Supposition } from '../../judge/requirements/requirement.ts';

/** Turns requirements that no scenario can show into exclusions. Throws for an id that no requirement has. */
export function excludeInfeasible(
  infeasible: readonly InfeasibleRequirement[],
  sets: readonly RequirementSet[],
): { sets: readonly RequirementSet[]; excluded: readonly Exclusion[] } {
  const requirements = new Map(
    sets.flatMap((set) => set.requirements.map((requirement) => [requirement.id, requirement] as const)),
  );
  const excluded = infeasible.map(({ id, reason }): Exclusion => {
    const requirement = requirements.get(id);
    if (requirement === undefined) throw new Error(`${id} is infeasible, but no requirement has this id.`);
    return { id, spec: requirement.spec, says: requirement.says, reason: toSentence(reason) };
  });
  const ids = new Set(infeasible.map(({ id }) => id));
  return { sets: sets.map((set) => omitRequirements(set, ids)), excluded };
}

/** The set without these requirements: it still collects their evidence, but reports nothing about them. */
function omitRequirements(set: RequirementSet, ids: ReadonlySet<string>): RequirementSet {
  if (!set.requirements.some(({ id }) => ids.has(id))) return set;
  const { evidenceListeners: listeners, touching } = set;
  return {
    ...set,
    requirements: set.requirements.filter(({ id }) => !ids.has(id)),
    open: (sink, only) => set.open(withoutResultsOf(sink, ids), only),
    ...(listeners && { evidenceListeners: (sink) => listeners(withoutResultsOf(sink, ids)) }),
    ...(touching && { touching: (operations) => omitRequirements(touching(operations), ids) }),
  };
}

/** A sink that drops the results of these requirements. Their evaluators also judge requirements that remain. */
export function withoutResultsOf(sink: ResultSink, ids: ReadonlySet<string>): ResultSink {
  return {
    header: sink.header,
    observe: (id, times, by) => {
      if (!ids.has(id)) sink.observe(id, times, by);
    },
    report: (id, violation, evidence) => {
      if (!ids.has(id)) sink.report(id, violation, evidence);
    },
    explainRefusals: (facts) => sink.explainRefusals(facts),
    excuse: (exchanges) => sink.excuse(exchanges),
    block: (id, exchange, obstacle) => {
      if (!ids.has(id)) sink.block(id, exchange, obstacle);
    },
    recordMiss: (id, exchanges, met) => !ids.has(id) && sink.recordMiss?.(id, exchanges, met) === true,
    recordTrial: (id, requests, outcome) => {
      if (!ids.has(id)) sink.recordTrial?.(id, requests, outcome);
    },
    showCompliance: (id) => {
      if (!ids.has(id)) sink.showCompliance?.(id);
    },
    recordVocabulary: (call, violations, side) =>
      sink.recordVocabulary?.(call, violations, side) ?? violations,
    // For a sink without `suppose`, results that depend on a supposition are dropped, or count immediately.
    ...(sink.suppose && {
      suppose: (id: string, supposition: Supposition, evidence: readonly Exchange[]) =>
        withoutResultsOf(sink.suppose?.(id, supposition, evidence) ?? sink, ids),
    }),
    fail: (id, error) => {
      if (!ids.has(id)) sink.fail(id, error);
    },
  };
}

function toSentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
