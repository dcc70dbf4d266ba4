// Breakdowns: features of valid requests for which a target fails every time, so repeating the run does not help.
import { withoutSizes } from '../judge/acceptance/body-size.ts';
import type { RequirementState } from '../judge/requirement-state.ts';
import {
  type AcceptanceFacts,
  type AcceptedTime,
  type FailedRequest,
  type RequestRow,
  type RowsBySubject,
  rateOf,
  shareOf,
} from '../judge/requirements/acceptance-facts.ts';
import {
  acceptanceRequirementId,
  type Breakdown,
  causeId,
  type Failures,
  isAcceptanceRequirement,
  operationOfSubject,
  type RefusalCauses,
} from '../judge/requirements/refusal-causes.ts';
import { isCapacityStatus } from '../judge/trace/response-class.ts';
import type { BreakdownFacts, Cause } from '../judge/verdict/cause.ts';
import { getOrMake } from '../schemas/maps.ts';
import { type Candidate, Candidates, MAX_CHANCE, withoutNulls } from './causes.ts';
import { ExchangeIndex } from './exchange-index.ts';
import { estimateNoise, type Noise } from './noise.ts';

export function failuresIn(facts: AcceptanceFacts): Pick<RefusalCauses, 'breakdowns' | 'broken'> {
  const repeats = facts.repeatedRows();
  const noise = estimateNoise(repeatsOf(facts.failed, repeats));
  const breakdowns = breakdownsIn(facts, repeats, noise);
  const explained = new Set(breakdowns.flatMap(({ exchanges }) => exchanges));
  const broken = brokenRequestsIn(facts, noise).filter(({ exchange }) => !explained.has(exchange));
  return { breakdowns, broken };
}

function breakdownsIn(facts: AcceptanceFacts, repeats: RowsBySubject, noise: Noise): readonly Breakdown[] {
  const times: FailureTimes = { failed: facts.failed, accepted: facts.acceptedTimes };
  const accepted = facts.acceptedRows();
  const subjects = new Set(times.failed.map(({ subject }) => subject));
  return [...subjects].flatMap((subject) => {
    const failures = times.failed.filter((request) => request.subject === subject);
    const operation: FailingOperation = {
      failed: failures.filter(({ assumes }) => assumes !== null && facts.areProven(assumes)),
      accepted: accepted.get(subject) ?? [],
      distinctAcceptedCount: acceptedByFingerprint(repeats.get(subject) ?? []).size,
      noise: noise(subject),
    };
    return breakdownCauses(operation, times).map((cause) => breakdownOf(cause, operation, failures));
  });
}

/** Minimum number of failed attempts for a request to count as broken: a run sends a failed request three times. */
const MIN_FAILED_ATTEMPTS = 3;

/**
 * Requests, valid or not, that got 5xx (not 501 or 503) each time, and not in an outage: another request was accepted
 * between two failures, or no other failed meanwhile. 502 and 504 come from a gateway whose service may be down.
 */
function brokenRequestsIn(facts: AcceptanceFacts, noise: Noise): readonly FailedRequest[] {
  const { acceptedTimes } = facts;
  const requests = new Map<string, { attempts: FailedRequest[]; outages: number; isAlone: boolean }>();
  for (const outage of outagesOf(facts.failed, acceptedTimes)) {
    const isAlone = new Set(outage.map(({ fingerprint }) => fingerprint)).size === 1;
    const seen = new Set<string>();
    for (const attempt of outage) {
      const { fingerprint } = attempt;
      const request = getOrMake(requests, fingerprint, () => ({ attempts: [], outages: 0, isAlone: true }));
      request.attempts.push(attempt);
      request.isAlone &&= isAlone;
      if (!seen.has(fingerprint)) request.outages += 1;
      seen.add(fingerprint);
    }
  }
  return [...requests.values()].flatMap(({ attempts, outages, isAlone }) => {
    const [first] = attempts;
    const isByGateway = attempts.some(({ status }) => status === 502 || status === 504);
    if (
      first === undefined ||
      attempts.length < MIN_FAILED_ATTEMPTS ||
      !((isAlone && !isByGateway) || outages > 1)
    )
      return [];
    if (facts.wasAnswered(first.fingerprint)) return [];
    if (attempts.some(({ status }) => isCapacityStatus(status))) return [];
    const chance = noise(first.subject) ** attempts.length * (requests.size + acceptedTimes.length);
    return chance > MAX_CHANCE || !isAtFault(first, facts) ? [] : [first];
  });
}

/** Whether the request itself causes the failure. A violation does if its control, if any, was accepted. */
function isAtFault({ isViolation, probe, assumes, subject }: FailedRequest, facts: AcceptanceFacts): boolean {
  // If a probe sends a valid request, its failure already fails the requirement of the probe.
  if (!isViolation) return probe === null && assumes !== null && facts.areProven(assumes);
  if (probe === null || probe.requirement === null || !facts.accepted.has(subject)) return false;
  return probe.control === null || facts.areProven([probe.control]);
}

function breakdownOf(
  { features }: Candidate,
  { failed, accepted }: FailingOperation,
  all: readonly FailedRequest[],
): Breakdown {
  const has = (one: Pick<FailedRequest, 'features'>) => features.every((name) => one.features.includes(name));
  const valid = failed.filter(has);
  const { total } = shareOf(accepted);
  return {
    subject: all[0]?.subject ?? '',
    features,
    statuses: [...new Set(valid.map(({ status }) => status))].toSorted((a, b) => (a ?? 0) - (b ?? 0)),
    with: { failed: valid.length, total: valid.length },
    without: { failed: failed.length - valid.length, total: failed.length - valid.length + total },
    exchanges: all.filter(has).map(({ exchange }) => exchange),
  };
}

function repeatsOf(failed: readonly FailedRequest[], repeats: RowsBySubject): RowsBySubject {
  const failures = new Map<string, number>();
  for (const { fingerprint } of failed) failures.set(fingerprint, (failures.get(fingerprint) ?? 0) + 1);
  return new Map(
    [...repeats].map(([subject, rows]) => [
      subject,
      [...acceptedByFingerprint(rows)].map(([fingerprint, accepted]) => {
        return { features: [fingerprint], accepted, refused: failures.get(fingerprint) ?? 0, exchanges: [] };
      }),
    ]),
  );
}

function acceptedByFingerprint(rows: readonly RequestRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { features, accepted } of rows) {
    const [fingerprint = ''] = features;
    if (accepted > 0) counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + accepted);
  }
  return counts;
}

interface FailingOperation {
  readonly failed: readonly FailedRequest[];
  readonly accepted: readonly RequestRow[];
  readonly distinctAcceptedCount: number;
  /** The probability that a request fails whatever its content, estimated from equal requests. */
  readonly noise: number;
}

interface FailureTimes {
  readonly failed: readonly FailedRequest[];
  readonly accepted: readonly AcceptedTime[];
}

/** Minimum number of outages, and of distinct requests, that a cause must explain: a single one may be chance. */
const MIN_OCCURRENCES = 2;

/** Sets of features that only failed requests have, best first, unless chance, load or outages explain the failures. */
function breakdownCauses(
  { failed, accepted, distinctAcceptedCount, noise }: FailingOperation,
  times: FailureTimes,
): readonly Candidate[] {
  const causes: Candidate[] = [];
  let rows = withoutSizes([...failed.map(rowOf), ...accepted.map(withoutNulls)]);
  let unexplained = failed;
  // Failures of all operations that no cause covers so far.
  let remaining = times.failed;
  while (true) {
    const rate = Math.max(noise, rateOf(shareOf(rows)));
    const best = new Candidates(rows, rate).findBest(rows.filter((row) => row.refused > 0));
    if (best === null) return causes;
    const [covered, uncovered] = partition(unexplained, best);
    const subject = covered[0]?.subject;
    const [allCovered, others] = partition(remaining, best, subject);
    const remainingTimes = { failed: remaining, accepted: times.accepted };
    const chances = [
      chanceOfOutage(allCovered, remainingTimes),
      chanceOfOutage(allCovered, timesOf(subject, remainingTimes)),
      chanceUnderLoad(covered, unexplained, times.accepted),
      chanceByFingerprint(covered, unexplained, distinctAcceptedCount),
    ];
    if (best.setsTested * Math.max(...chances) > MAX_CHANCE) return causes;
    causes.push(best);
    rows = rows.filter((row) => !best.holds(row));
    unexplained = uncovered;
    remaining = others;
  }
}

function rowOf({ features, exchange }: FailedRequest): RequestRow {
  return { features, accepted: 0, refused: 1, exchanges: [exchange] };
}

function partition(
  failed: readonly FailedRequest[],
  cause: Candidate,
  subject = failed[0]?.subject,
): readonly [covered: readonly FailedRequest[], others: readonly FailedRequest[]] {
  const covered = failed.filter((request) => request.subject === subject && cause.holds(rowOf(request)));
  const ids = new Set(covered.map(({ exchange }) => exchange));
  return [covered, failed.filter(({ exchange }) => !ids.has(exchange))];
}

/** The probability that outages hit exactly these requests. An outage counts once, however many requests it affects. */
function chanceOfOutage(covered: readonly FailedRequest[], { failed, accepted }: FailureTimes): number {
  const ids = new Set(covered.map(({ exchange }) => exchange));
  const outages = outagesOf(failed, accepted);
  const hits = outages.filter((outage) => outage.some(({ exchange }) => ids.has(exchange)));
  return chanceOfDraw(hits.length, outages.length, outages.length + accepted.length);
}

function timesOf(subject: string | undefined, { failed, accepted }: FailureTimes): FailureTimes {
  const isOfSubject = (one: { readonly subject: string }) => one.subject === subject;
  return { failed: failed.filter(isOfSubject), accepted: accepted.filter(isOfSubject) };
}

/** The probability that load alone explains these failures, from the failure rate per number of requests in flight. */
function chanceUnderLoad(
  covered: readonly FailedRequest[],
  failed: readonly FailedRequest[],
  accepted: readonly AcceptedTime[],
): number {
  const subject = covered[0]?.subject;
  const loads = new Map<number, { failed: number; total: number }>();
  const loadAt = (inFlight: number) => getOrMake(loads, inFlight, () => ({ failed: 0, total: 0 }));
  for (const { inFlight } of failed) {
    loadAt(inFlight).failed += 1;
    loadAt(inFlight).total += 1;
  }
  for (const request of accepted) if (request.subject === subject) loadAt(request.inFlight).total += 1;
  let chance = 1;
  for (const { inFlight } of covered) chance *= loadAt(inFlight).failed / loadAt(inFlight).total;
  return chance;
}

/** The probability that `drawn` random draws from `total`, without replacement, all hit one of the `failed`. */
function chanceOfDraw(drawn: number, failed: number, total: number): number {
  if (drawn < MIN_OCCURRENCES) return 1;
  let chance = 1;
  for (let n = 0; n < drawn; n += 1) chance *= (failed - n) / (total - n);
  return chance;
}

/** Groups failures that may belong to one outage. A request sent after a failure and then accepted ends the outage. */
function outagesOf(
  failed: readonly FailedRequest[],
  accepted: readonly AcceptedTime[],
): readonly (readonly FailedRequest[])[] {
  const outages: FailedRequest[][] = [];
  let firstEnd = 0;
  let lastAcceptedAfter = 0;
  let next = 0;
  for (const request of failed.toSorted((a, b) => a.after - b.after || a.at - b.at)) {
    while ((accepted[next]?.at ?? Number.POSITIVE_INFINITY) <= request.after) {
      lastAcceptedAfter = Math.max(lastAcceptedAfter, accepted[next]?.after ?? 0);
      next += 1;
    }
    const isNewOutage = outages.length === 0 || lastAcceptedAfter >= firstEnd;
    if (isNewOutage) outages.push([]);
    firstEnd = isNewOutage ? request.at : Math.min(firstEnd, request.at);
    outages.at(-1)?.push(request);
  }
  return outages;
}

function chanceByFingerprint(
  covered: readonly FailedRequest[],
  failed: readonly FailedRequest[],
  distinctAcceptedCount: number,
): number {
  const countDistinct = (list: readonly FailedRequest[]) => new Set(list.map((one) => one.fingerprint)).size;
  const total = countDistinct(failed);
  return chanceOfDraw(countDistinct(covered), total, total + distinctAcceptedCount);
}

/** Explains failing and inconclusive verdicts by failures of the target: breakdowns, or overload. */
export class BreakdownVerdicts {
  readonly #failures: Failures;
  readonly #byExchange = new ExchangeIndex<Breakdown>();

  constructor(failures: Failures) {
    this.#failures = failures;
    for (const breakdown of failures.breakdowns)
      for (const exchange of breakdown.exchanges) this.#byExchange.add(exchange, breakdown);
  }

  /** Replaces the cause of an inconclusive verdict if its exchange shows a failure of the target. */
  explain(requirement: string, cause: Cause): Cause {
    if (!('exchange' in cause)) return cause;
    const known = this.#byExchange.explanationsOf(cause.exchange);
    if (known.length === 0) return blockedForCapacity(cause) ?? cause;
    const { breakdowns } = this.#failures;
    const all = isAcceptanceRequirement(requirement)
      ? breakdowns.filter(({ subject }) => acceptanceRequirementId(subject) === requirement)
      : known;
    return causeOf(all, cause.exchange);
  }

  /** Failures of the target behind a failing requirement; empty unless every exchange with a finding shows one. */
  faultsBehind({ exchangesAtFault }: Pick<RequirementState, 'exchangesAtFault'>): readonly BreakdownFacts[] {
    return this.#byExchange.explanationsOfAll(exchangesAtFault ?? []).map(factsOf);
  }

  /** The cause if every scenario lost calls: unexplained overload, or breakdowns that explain all losses; else null. */
  causeOfScenarios(names: readonly string[], operations: readonly string[]): Cause | null {
    const lost = this.#failures.lost.filter(
      ({ scenario, subject }) => names.includes(scenario) && operations.includes(operationOfSubject(subject)),
    );
    if (!names.every((name) => lost.some(({ scenario }) => scenario === name))) return null;
    const unexplained = lost.filter(({ exchange }) => this.#byExchange.explanationsOf(exchange).length === 0);
    const overloaded = unexplained.find(({ status }) => isCapacityStatus(status));
    if (overloaded !== undefined) return withoutCapacity(overloaded.exchange, overloaded.status);
    const [first] = lost;
    if (first === undefined || unexplained.length > 0) return null;
    const all = new Set(lost.flatMap(({ exchange }) => this.#byExchange.explanationsOf(exchange)));
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
  return { id: causeId(one.subject, features.join('&')), features, statuses, with: share, without };
}
