import type { Exchange } from '../../exchange/exchange.ts';
import { SelectorDispatch } from '../../judge/evidence/selector-dispatch.ts';
import {
  type BehaviourRequirement,
  type Evidence,
  isJudgedHere,
} from '../../judge/requirements/requirement.ts';
import { Call } from '../../judge/trace/call.ts';
import type { BaselineTrace, Mutant } from './mutant.ts';

/** Number of pieces of evidence to mutate first; the whole trace is mutated only if the mutant survives on these. */
const SAMPLE = 20;

/** One mutant for each mutation of a hand-written requirement. */
export function* behaviourMutants(
  requirement: BehaviourRequirement<Evidence>,
  baseline: BaselineTrace,
): Generator<Mutant> {
  const { id: rule, selector: on, mutations: breaks } = requirement;
  const calls = baseline.calls(on.operations);
  const whole = on.downloads ? withDownloads(calls, baseline) : calls.map(({ exchange }) => exchange);
  const part = on.downloads ? null : sampleOf(requirement, calls);
  for (const [name, edit] of Object.entries(breaks)) {
    if (part === null) yield { requirement: rule, kind: name, name, exchanges: edit(whole) };
    else yield { requirement: rule, kind: name, name, exchanges: edit(part), longer: () => edit(whole) };
  }
}

/**
 * Exchanges behind some of the evidence, in order. Null if there is little evidence, or if the requirement fails on
 * the unchanged sample because it depends on omitted exchanges.
 */
function sampleOf(
  requirement: BehaviourRequirement<Evidence>,
  calls: readonly Call[],
): readonly Exchange[] | null {
  const evidence = evidenceIn(requirement, calls);
  if (evidence.length <= SAMPLE) return null;
  const step = evidence.length / SAMPLE;
  const chosen = Array.from({ length: SAMPLE }, (_, i) => evidence[Math.floor(i * step)]);
  const ids = new Set(chosen.flatMap((one) => one?.exchanges.map(({ id }) => id) ?? []));
  const part = calls.filter(({ exchange }) => ids.has(exchange.id));
  const isBroken = evidenceIn(requirement, part).some((one) => requirement.check(one).length > 0);
  return isBroken ? null : part.map(({ exchange }) => exchange);
}

function withDownloads(calls: readonly Call[], { exchanges, header }: BaselineTrace): readonly Exchange[] {
  const others = exchanges.filter((exchange) => Call.of(exchange, header.betaHeader) === null);
  return [...calls.map(({ exchange }) => exchange), ...others].sort((a, b) => a.ended - b.ended);
}

function evidenceIn(
  { selector: on }: BehaviourRequirement<Evidence>,
  calls: readonly Call[],
): readonly Evidence[] {
  const found: Evidence[] = [];
  const dispatch = new SelectorDispatch([
    { selector: on, receive: (evidence) => found.push(evidence), fail: () => {} },
  ]);
  for (const call of calls) dispatch.call(call);
  dispatch.finish();
  return found.filter(isJudgedHere);
}
