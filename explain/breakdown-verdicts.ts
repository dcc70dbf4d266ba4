import type { RequirementState } from '../judge/requirement-state.ts';
import {
  acceptanceRequirementId,
  type Breakdown,
  causeId,
  type Failures,
  isAcceptanceRequirement,
} from '../judge/requirements/refusal-causes.ts';
import { isCapacityStatus } from '../judge/trace/response-class.ts';
import type { BreakdownFacts, Cause } from '../judge/verdict/cause.ts';
import { ExchangeIndex } from './exchange-index.ts';

export class BreakdownVerdicts {
  readonly #failures: Failures;
  readonly #byExchange = new ExchangeIndex<Breakdown>();

  constructor(failures: Failures) {
    this.#failures = failures;
    for (const breakdown of failures.breakdowns)
      for (const exchange of breakdown.exchanges) this.#byExchange.add(exchange, breakdown);
  }

  /** Replaces the cause of an inconclusive verdict if breakdowns or lacking capacity explain the exchange it names. */
  explain(requirementId: string, cause: Cause): Cause {
    if (!('exchange' in cause)) return cause;
    const known = this.#byExchange.explanationsOf(cause.exchange);
    if (known.length === 0) return toCapacityCause(cause) ?? cause;
    const { breakdowns } = this.#failures;
    const relevant = isAcceptanceRequirement(requirementId)
      ? breakdowns.filter(({ subject }) => acceptanceRequirementId(subject) === requirementId)
      : known;
    return makeBreakdownCause(relevant, cause.exchange);
  }

  /** Empty unless breakdowns explain every exchange with a finding. */
  faultsBehind({ exchangesAtFault }: Pick<RequirementState, 'exchangesAtFault'>): readonly BreakdownFacts[] {
    return this.#byExchange.explanationsOfAll(exchangesAtFault ?? []).map(toFacts);
  }

  /**
   * Why scenarios did not show evidence of these operations: overload that no breakdown explains, or else the
   * breakdowns, if they explain all lost calls. Null otherwise, and if a scenario lost no call.
   */
  causeOfScenarios(scenarios: readonly string[], operations: readonly string[]): Cause | null {
    const lost = this.#failures.lost.filter(
      ({ scenario, subject }) =>
        scenarios.includes(scenario) && operations.some((id) => `${subject}.`.startsWith(`${id}.`)),
    );
    if (!scenarios.every((name) => lost.some(({ scenario }) => scenario === name))) return null;
    const unexplained = lost.filter(({ exchange }) => this.#byExchange.explanationsOf(exchange).length === 0);
    const overloaded = unexplained.find(({ status }) => isCapacityStatus(status));
    if (overloaded !== undefined) return makeCapacityCause(overloaded.exchange, overloaded.status);
    const [first] = lost;
    if (first === undefined || unexplained.length > 0) return null;
    const breakdowns = new Set(lost.flatMap(({ exchange }) => this.#byExchange.explanationsOf(exchange)));
    return makeBreakdownCause([...breakdowns], first.exchange);
  }
}

function makeBreakdownCause(breakdowns: readonly Breakdown[], exchange: string): Cause {
  return { kind: 'breakdown', exchange, faults: breakdowns.map(toFacts) };
}

function toCapacityCause(cause: Cause): Cause | null {
  if (cause.kind !== 'blocked' || !('status' in cause.obstacle)) return null;
  const { status } = cause.obstacle;
  return status !== null && isCapacityStatus(status) ? makeCapacityCause(cause.exchange, status) : null;
}

function makeCapacityCause(exchange: string, status: number | null): Cause {
  return { kind: 'capacity', exchange, arrival: status === null ? null : { what: 'answered', status } };
}

function toFacts({ subject, features, statuses, with: share, without }: Breakdown): BreakdownFacts {
  return { id: causeId(subject, features.join('&')), features, statuses, with: share, without };
}
