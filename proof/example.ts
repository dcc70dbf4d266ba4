// Examples for `assay explain`: an exchange that satisfies a requirement, and a mutant of the trace that fails it.
import type { Exchange } from '../exchange/exchange.ts';
import { judgeTrace } from '../explain/judge.ts';
import type { Catalogue, RequirementSet } from '../judge/requirements/catalogue.ts';
import { Call } from '../judge/trace/call.ts';
import type { RequirementVerdict } from '../judge/verdict/verdict.ts';
import { RequirementSpy } from './mutant-runner.ts';
import { baselineTrace, type RecordedTrace } from './mutants/mutant.ts';
import { mutantsOf } from './mutants/mutants.ts';

export interface Example {
  /** The exchange that completed the first evidence; if the end of the trace did, the last accepted call. */
  readonly passing: Exchange;
  /** A mutant that fails the requirement, and the verdict on it; null if there is none. */
  readonly failing: {
    readonly mutant: string;
    readonly verdict: RequirementVerdict;
    readonly exchanges: readonly Exchange[];
  } | null;
}

/** Returns null for an unknown id, or if the trace, which must have no findings, has no evidence for it. */
export function findExample(catalogue: Catalogue, trace: RecordedTrace, id: string): Example | null {
  const { header } = trace;
  const baseline = baselineTrace(trace, new Set([id]));
  const set = catalogue.requirementSets.find(({ requirements }) =>
    requirements.some((requirement) => requirement.id === id),
  );
  if (set === undefined) return null;
  const passing = findPassing(baseline.exchanges, id, set, header);
  if (passing === null) return null;
  for (const mutant of mutantsOf(set, baseline)) {
    if (mutant.requirement !== id) continue;
    for (const exchanges of [mutant.exchanges, mutant.longer?.() ?? null]) {
      const verdict = exchanges === null ? null : findFailure(id, set, header, exchanges);
      if (verdict !== null && exchanges !== null)
        return { passing, failing: { mutant: mutant.name, verdict, exchanges } };
    }
  }
  return { passing, failing: null };
}

function findFailure(
  id: string,
  set: RequirementSet,
  header: RecordedTrace['header'],
  exchanges: readonly Exchange[],
): RequirementVerdict | null {
  const catalogue: Catalogue = {
    requirementSets: [set],
    choices: [],
    exclusions: [],
    infeasible: [],
    equivalentMutants: [],
    scenarios: [],
  };
  // A mutant may contain responses that are marked as disturbed.
  const { requirements } = judgeTrace(catalogue, { ...header, disturbed: true }, exchanges);
  const verdict = requirements.find((one) => one.id === id);
  return verdict === undefined || verdict.findings.length === 0 ? null : verdict;
}

function findPassing(
  exchanges: readonly Exchange[],
  id: string,
  set: RequirementSet,
  header: RecordedTrace['header'],
): Exchange | null {
  const spy = new RequirementSpy(header, id);
  const evaluator = set.open(spy, id);
  let last: Exchange | null = null;
  const operations = set.requirements.find((requirement) => requirement.id === id)?.operations ?? [];
  for (const exchange of exchanges) {
    const call = Call.from(exchange, header.betaHeader);
    if (call === null) evaluator.download?.(exchange);
    else {
      if (operations.includes(call.operation.id) && call.responseClass === 'accepted') last = exchange;
      evaluator.call(call);
    }
    if (spy.observations > 0) return exchange;
  }
  evaluator.finish();
  evaluator.conclude?.();
  return spy.observations > 0 ? last : null;
}
