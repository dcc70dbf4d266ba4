// Explains inconclusive verdicts by failures of the target: one that recurs, or overload.

import type { RequirementState } from '../judge/requirement-state.ts';
import {
  acceptanceRequirementId,
  type Breakdown,
  type Failures,
  isAcceptanceRequirement,
  operationOfSubject,
} from '../judge/requirements/refusals.ts';
import { isCapacityStatus } from '../judge/trace/response-class.ts';
import type { BreakdownFacts, Cause } from '../judge/verdict/cause.ts';
import { breakdownId } from './breakdowns.ts';

export class BreakdownVerdicts {
  readonly #failures: Failures;
  readonly #byExchange = new Map<string, Breakdown[]>();

  constructor(failures: Failures) {
    this.#failures = failures;
    for (const one of failures.breakdowns)
      for (const exchange of one.exchanges) {
        const known = this.#byExchange.get(exchange);
        if (known === undefined) this.#byExchange.set(exchange, [one]);
        else known.push(one);
      }
  }

  /** Replaces the cause of an inconclusive verdict if its exchange shows a failure of the target. */
  explain(requirement: string, cause: Cause): Cause {
    if (!('exchange' in cause)) return cause;
    const known = this.#byExchange.get(cause.exchange) ?? [];
    if (known.length === 0) return blockedForCapacity(cause) ?? cause;
    const { breakdowns } = this.#failures;
    const all = isAcceptanceRequirement(requirement)
      ? breakdowns.filter(({ subject }) => acceptanceRequirementId(subject) === requirement)
      : known;
    return causeOf(all, cause.exchange);
  }

  /** Failures behind a failing requirement; empty unless every exchange with a finding met one. */
  faultsBehind({ exchangesAtFault }: Pick<RequirementState, 'exchangesAtFault'>): readonly BreakdownFacts[] {
    const met = new Set<Breakdown>();
    for (const exchange of exchangesAtFault ?? []) {
      const known = this.#byExchange.get(exchange);
      if (known === undefined) return [];
      for (const one of known) met.add(one);
    }
    return [...met].map(factsOf);
  }

  /**
   * The cause if each of these scenarios lost requests of these operations to failures. Null if one of them lost
   * none: it alone could have shown the evidence. Unexplained failures come first, because they may not recur.
   */
  ofScenarios(names: readonly string[], operations: readonly string[]): Cause | null {
    const lost = this.#failures.lost.filter(
      ({ scenario, subject }) => names.includes(scenario) && operations.includes(operationOfSubject(subject)),
    );
    if (!names.every((name) => lost.some(({ scenario }) => scenario === name))) return null;
    const unexplained = lost.filter(({ exchange }) => !this.#byExchange.has(exchange));
    const overloaded = unexplained.find(({ status }) => isCapacityStatus(status));
    if (overloaded !== undefined) return withoutCapacity(overloaded.exchange, overloaded.status);
    const [first] = lost;
    if (first === undefined || unexplained.length > 0) return null;
    const all = new Set(lost.flatMap(({ exchange }) => this.#byExchange.get(exchange) ?? []));
    return causeOf([...all], first.exchange);
  }
}

function causeOf(breakdowns: readonly Breakdown[], exchange: string): Cause {
  return { kind: 'breakdown', exchange, faults: breakdowns.map(factsOf) };
}

function blockedForCapacity(cause: Cause): Cause | null {
  if (cause.kind !== 'blocked' || !('status' in cause.obstacle)) return null;
  const { status } = cause.obstacle;
  return status !== null && isCapacityStatus(status) ? withoutCapacity(cause.exchange, status) : null;
}

function withoutCapacity(exchange: string, status: number | null): Cause {
  return { kind: 'capacity', exchange, arrival: status === null ? null : { what: 'answered', status } };
}

function factsOf(one: Breakdown): BreakdownFacts {
  const { features, statuses, with: share, without } = one;
  return { id: breakdownId(one), features, statuses, with: share, without };
}
