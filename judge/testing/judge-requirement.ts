import type { Exchange } from '../../exchange/exchange.ts';
import {
  type BehaviourRequirement,
  type Choice,
  type Evidence,
  isJudgedHere,
  type Selector,
  type Violation,
} from '../requirements/requirement.ts';
import { Call } from '../trace/call.ts';

export interface RequirementResult {
  readonly observations: number;
  readonly violations: readonly Violation[];
}

export function judgeRequirement<E extends Evidence>(
  { selector, check }: BehaviourRequirement<E>,
  exchanges: readonly Exchange[],
): RequirementResult {
  const evidence = evidenceIn(selector, exchanges);
  return { observations: evidence.length, violations: evidence.flatMap((piece) => check(piece)) };
}

export function takenAlternatives<E extends Evidence>(
  { selector, taken }: Choice<E>,
  exchanges: readonly Exchange[],
): readonly string[] {
  return evidenceIn(selector, exchanges).flatMap((evidence) => taken(evidence) ?? []);
}

function evidenceIn<E extends Evidence>(selector: Selector<E>, exchanges: readonly Exchange[]): readonly E[] {
  const collector = selector.collect();
  const collected = exchanges.flatMap((exchange) => {
    const call = Call.from(exchange, 'Vendor-Beta');
    if (call === null) return selector.downloads ? [...(collector.download?.(exchange) ?? [])] : [];
    return selector.operations.includes(call.operation.id) ? [...collector.call(call)] : [];
  });
  return [...collected, ...(collector.finish?.() ?? [])].filter(isJudgedHere);
}
