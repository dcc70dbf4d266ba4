import type { Exchange } from '../../exchange/exchange.ts';
import { SelectorDispatch } from '../../judge/evidence/selector-dispatch.ts';
import {
  type BehaviourRequirement,
  type Evidence,
  isJudgedHere,
} from '../../judge/requirements/requirement.ts';
import { Call } from '../../judge/trace/call.ts';
import type { BaselineTrace, Mutant } from './mutant.ts';

/** Number of pieces of evidence in a sample. Mutants of a sample are judged faster than those of the whole trace. */
const SAMPLE_SIZE = 20;

export function* behaviourMutants(
  requirement: BehaviourRequirement<Evidence>,
  baseline: BaselineTrace,
): Generator<Mutant> {
  const { id, selector, mutations } = requirement;
  const calls = baseline.calls(selector.operations);
  const all = selector.downloads ? withDownloads(calls, baseline) : calls.map(({ exchange }) => exchange);
  const sample = selector.downloads ? null : selectSample(requirement, calls);
  for (const [name, edit] of Object.entries(mutations)) {
    if (sample === null) yield { requirement: id, kind: name, name, exchanges: edit(all) };
    else yield { requirement: id, kind: name, name, exchanges: edit(sample), longer: () => edit(all) };
  }
}

/**
 * Null if there is little evidence, or if the requirement fails on the unchanged sample because it depends on
 * omitted exchanges.
 */
function selectSample(
  requirement: BehaviourRequirement<Evidence>,
  calls: readonly Call[],
): readonly Exchange[] | null {
  const evidence = evidenceIn(requirement, calls);
  if (evidence.length <= SAMPLE_SIZE) return null;
  const step = evidence.length / SAMPLE_SIZE;
  const sample = Array.from({ length: SAMPLE_SIZE }, (_, i) => evidence[Math.floor(i * step)]);
  const ids = new Set(sample.flatMap((one) => one?.exchanges.map(({ id }) => id) ?? []));
  const sampledCalls = calls.filter(({ exchange }) => ids.has(exchange.id));
  const isBroken = evidenceIn(requirement, sampledCalls).some((one) => requirement.check(one).length > 0);
  return isBroken ? null : sampledCalls.map(({ exchange }) => exchange);
}

function withDownloads(calls: readonly Call[], { exchanges, header }: BaselineTrace): readonly Exchange[] {
  const others = exchanges.filter((exchange) => Call.from(exchange, header.betaHeader) === null);
  return [...calls.map(({ exchange }) => exchange), ...others].sort((a, b) => a.ended - b.ended);
}

function evidenceIn(
  { selector }: BehaviourRequirement<Evidence>,
  calls: readonly Call[],
): readonly Evidence[] {
  const collected: Evidence[] = [];
  const dispatch = new SelectorDispatch([
    { selector, receive: (evidence) => collected.push(evidence), fail: () => {} },
  ]);
  for (const call of calls) dispatch.call(call);
  dispatch.finish();
  return collected.filter(isJudgedHere);
}
