// Relates inconclusive verdicts to failures of the target: to a consistent failure, or to overload.

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

interface ShownBy {
  readonly exchangesAtFault: readonly string[] | null;
}

export class BreakdownVerdicts {
  readonly #failures: Failures;
  readonly #ofExchange = new Map<string, Breakdown[]>();

  constructor(failures: Failures) {
    this.#failures = failures;
    for (const one of failures.breakdowns)
      for (const exchange of one.exchanges) {
        const known = this.#ofExchange.get(exchange);
        if (known === undefined) this.#ofExchange.set(exchange, [one]);
        else known.push(one);
      }
  }

  /** Restates the cause of an inconclusive verdict if the exchange that it names shows a failure. */
  explain(requirement: string, cause: Cause): Cause {
    if (!('exchange' in cause)) return cause;
    const known = this.#ofExchange.get(cause.exchange) ?? [];
    if (known.length === 0) return blockedForCapacity(cause) ?? cause;
    const { breakdowns } = this.#failures;
    const all = isAcceptanceRequirement(requirement)
      ? breakdowns.filter(({ subject }) => acceptanceRequirementId(subject) === requirement)
      : known;
    return causeOf(all, cause.exchange);
  }

  /**
   * The failures behind a failing requirement, if each exchange that shows a finding met one. Empty if any
   * other exchange shows one, or if there were too many to keep.
   */
  faultsBehind({ exchangesAtFault }: ShownBy): readonly BreakdownFacts[] {
    const met = new Set<Breakdown>();
    for (const exchange of exchangesAtFault ?? []) {
      const known = this.#ofExchange.get(exchange);
      if (known === undefined) return [];
      for (const one of known) met.add(one);
    }
    return [...met].map(factsOf);
  }

  /**
   * The cause if scenarios showed nothing because all of their requests of these operations failed; null if
   * one scenario met no failure, since one would have been sufficient. Unexplained failures come first:
   * another run may not meet them.
   */
  ofScenarios(names: readonly string[], operations: readonly string[]): Cause | null {
    const lost = this.#failures.lost.filter(
      ({ scenario, subject }) => names.includes(scenario) && operations.includes(operationOfSubject(subject)),
    );
    if (!names.every((name) => lost.some(({ scenario }) => scenario === name))) return null;
    const unexplained = lost.filter(({ exchange }) => !this.#ofExchange.has(exchange));
    const passing = unexplained.find(({ status }) => isCapacityStatus(status));
    if (passing !== undefined) {
      const { exchange, status } = passing;
      return withoutCapacity(exchange, status);
    }
    const [first] = lost;
    if (first === undefined || unexplained.length > 0) return null;
    const all = new Set(lost.flatMap(({ exchange }) => this.#ofExchange.get(exchange) ?? []));
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
