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

/** The number of pieces of evidence that a requirement finds in a trace, and its violations. */
export interface RequirementResult {
  readonly observations: number;
  readonly violations: readonly Violation[];
}

/** Judges a trace by one requirement. */
export function judgeRequirement<E extends Evidence>(
  { selector: on, check }: BehaviourRequirement<E>,
  exchanges: readonly Exchange[],
): RequirementResult {
  const found = evidenceIn(on, exchanges);
  return { observations: found.length, violations: found.flatMap((evidence) => check(evidence)) };
}

/** The alternatives of a choice that a trace shows, one for each piece of evidence that shows any. */
export function takenAlternatives<E extends Evidence>(
  { selector: on, taken }: Choice<E>,
  exchanges: readonly Exchange[],
): readonly string[] {
  return evidenceIn(on, exchanges).flatMap((evidence) => taken(evidence) ?? []);
}

function evidenceIn<E extends Evidence>(on: Selector<E>, exchanges: readonly Exchange[]): readonly E[] {
  const collector = on.collect();
  const found = exchanges.flatMap((exchange) => {
    const call = Call.from(exchange, 'Vendor-Beta');
    if (call === null) return on.downloads ? [...(collector.download?.(exchange) ?? [])] : [];
    return on.operations.includes(call.operation.id) ? [...collector.call(call)] : [];
  });
  return [...found, ...(collector.finish?.() ?? [])].filter(isJudgedHere);
}
