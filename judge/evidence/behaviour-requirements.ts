import { countedFamilies, operation } from '../../schemas/index.ts';
import type { Requirement, RequirementSet } from '../requirements/catalogue.ts';
import type { EvidenceListener, ResultSink } from '../requirements/evaluator.ts';
import { type BehaviourRequirement, type Evidence, isJudgedHere } from '../requirements/requirement.ts';
import { isClientRequirement, isFiltered } from '../requirements/selection.ts';
import { UnknownRequestError } from '../trace/call.ts';
import { SelectorDispatch } from './selector-dispatch.ts';

/** Requirements with the same selector share its evidence. */
export function behaviourRequirements(
  requirements: readonly BehaviourRequirement<Evidence>[],
): RequirementSet {
  return {
    origin: 'behaviour',
    behaviours: requirements,
    requirements: requirements.map(requirementOf),
    open: (sink, only) => {
      const selected = only === undefined ? requirements : requirements.filter(({ id }) => id === only);
      return new SelectorDispatch(listenersOf(sink, selected));
    },
    touching: (operations) =>
      behaviourRequirements(
        requirements.filter(
          ({ selector }) => selector.downloads || selector.operations.some((id) => operations.has(id)),
        ),
      ),
    evidenceListeners: (sink) => listenersOf(sink, requirements),
  };
}

function requirementOf(requirement: BehaviourRequirement<Evidence>): Requirement {
  const { id, level, basis, spec, says, byChance, selector } = requirement;
  const first = selector.operations[0];
  if (first === undefined) throw new Error(`${id} selects no operation.`);
  return {
    id,
    kind: 'behaviour',
    // A client requirement applies if the family of any of its operations is claimed.
    families: isClientRequirement(id)
      ? [...new Set(selector.operations.flatMap((one) => countedFamilies(operation(one))))]
      : familiesFor(first, selector.variant),
    operations: selector.operations,
    level,
    basis,
    spec,
    says,
    ...(byChance && { byChance }),
  };
}

function familiesFor(id: string, variant: 'v1' | 'v2' | null): readonly string[] {
  const { variants } = operation(id);
  const named = variants.find(({ name }) => name === variant);
  return named === undefined ? countedFamilies(operation(id)) : [named.family];
}

function listenersOf(
  sink: ResultSink,
  requirements: readonly BehaviourRequirement<Evidence>[],
): EvidenceListener[] {
  const unfiltered = requirements.filter((requirement) => !isFiltered(requirement, sink.header.filters));
  return unfiltered.map((requirement) => ({
    selector: requirement.selector,
    receive: (evidence) => judge(sink, requirement, evidence),
    miss: ({ exchanges }, met) => sink.recordMiss?.(requirement.id, exchanges, met) ?? false,
    fail: (error) => sink.fail(requirement.id, error),
  }));
}

function judge(traceSink: ResultSink, requirement: BehaviourRequirement<Evidence>, evidence: Evidence): void {
  const { supposing, showsCompliance } = evidence;
  if (showsCompliance !== undefined) traceSink.showCompliance?.(requirement.id);
  if (showsCompliance === 'only' || (!isJudgedHere(evidence) && traceSink.suppose === undefined)) return;
  const sink = (supposing && traceSink.suppose?.(requirement.id, supposing, evidence.exchanges)) ?? traceSink;
  try {
    const violations = requirement.check(evidence);
    // A suite in JavaScript is not type-checked, and a report could not show a result that is not a list.
    if (!Array.isArray(violations)) throw new TypeError('The check did not return a list of violations.');
    if (violations.length === 0) {
      sink.observe(requirement.id, 1, evidence.exchanges);
      if (requirement.byChance) sink.recordTrial?.(requirement.id, requestsKey(evidence), 'met');
      return;
    }
    if (violations.some(({ at, expected }) => typeof at !== 'string' || typeof expected !== 'string'))
      throw new TypeError(
        'The check returned a violation whose place or expectation is not a string: use violation().',
      );
    if (violations.some(({ inconclusive }) => inconclusive === undefined)) {
      sink.observe(requirement.id, 1, evidence.exchanges);
      if (requirement.byChance) sink.recordTrial?.(requirement.id, requestsKey(evidence), 'violated');
    }
    for (const violation of violations) sink.report(requirement.id, violation, evidence.exchanges);
  } catch (error) {
    if (!(error instanceof UnknownRequestError)) sink.fail(requirement.id, error);
  }
}

function requestsKey({ exchanges }: Evidence): string {
  return exchanges
    .map(({ request: { method, target, body } }) => `${method} ${target} ${body.sha256}`)
    .toSorted()
    .join(' ');
}
