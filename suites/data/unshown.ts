import type { Exchange } from '../../exchange/exchange.ts';
import type {
  InfeasibleRequirement,
  RequirementSet,
  ResultSink,
} from '../../judge/requirements/catalogue.ts';
import type { Exclusion, Supposition } from '../../judge/requirements/requirement.ts';

/**
 * Moves requirements that no target can ever show out of their sections: they become exclusions of the same id, with
 * the reason. Throws for an id that no requirement has.
 */
export function withoutUnshown(
  unshown: readonly InfeasibleRequirement[],
  sets: readonly RequirementSet[],
): { sets: readonly RequirementSet[]; excluded: readonly Exclusion[] } {
  const requirements = new Map(
    sets.flatMap((set) => set.requirements.map((requirement) => [requirement.id, requirement] as const)),
  );
  const excluded = unshown.map(({ id, reason }): Exclusion => {
    const requirement = requirements.get(id);
    if (requirement === undefined) throw new Error(`${id} is excluded, but the requirement does not exist.`);
    return { id, spec: requirement.spec, says: requirement.says, reason: sentence(reason) };
  });
  const ids = new Set(unshown.map(({ id }) => id));
  return { sets: sets.map((set) => narrowed(set, ids)), excluded };
}

/** The set without these requirements. It still collects their evidence, but reports nothing about them. */
function narrowed(set: RequirementSet, ids: ReadonlySet<string>): RequirementSet {
  if (!set.requirements.some(({ id }) => ids.has(id))) return set;
  const { evidenceListeners: listeners, touching } = set;
  return {
    ...set,
    requirements: set.requirements.filter(({ id }) => !ids.has(id)),
    open: (sink, only) => set.open(withoutResultsOf(sink, ids), only),
    ...(listeners === undefined
      ? {}
      : { evidenceListeners: (sink) => listeners(withoutResultsOf(sink, ids)) }),
    ...(touching === undefined ? {} : { touching: (operations) => narrowed(touching(operations), ids) }),
  };
}

/**
 * A result sink that drops everything about these requirements.
 * Evidence of a set is shared, so the requirements cannot be left out of the set itself.
 */
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
    block: (id, exchange, message) => {
      if (!ids.has(id)) sink.block(id, exchange, message);
    },
    missed: (id, exchanges, met) => !ids.has(id) && sink.missed?.(id, exchanges, met) === true,
    tried: (id, requests, outcome) => {
      if (!ids.has(id)) sink.tried?.(id, requests, outcome);
    },
    showCompliance: (id) => {
      if (!ids.has(id)) sink.showCompliance?.(id);
    },
    remaining: (call, violations, side) => sink.remaining?.(call, violations, side) ?? violations,
    // Left out if the sink lacks it: results that depend on a supposition are then dropped, or count immediately.
    ...(sink.supposing === undefined
      ? {}
      : {
          supposing: (id: string, supposition: Supposition, evidence: readonly Exchange[]) => {
            const supposed = sink.supposing?.(id, supposition, evidence) ?? sink;
            return withoutResultsOf(supposed, ids);
          },
        }),
    fail: (id, error) => {
      if (!ids.has(id)) sink.fail(id, error);
    },
  };
}

/** A reason as a sentence: capital letter first, full stop last. */
function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
