// Breakdowns: features of valid requests for which a target fails every time, so that repeating the run does not help.
import { withoutSizes } from '../judge/acceptance/body-size.ts';
import type { RequirementState } from '../judge/requirement-state.ts';
import {
  type AcceptanceFacts,
  type AcceptedTime,
  acceptanceRequirementId,
  type Breakdown,
  causeId,
  type FailedRequest,
  type Failures,
  isAcceptanceRequirement,
  operationOfSubject,
  type RefusalCauses,
  type RequestRow,
  type RowsBySubject,
  rateOf,
  shareOf,
} from '../judge/requirements/refusals.ts';
import { isCapacityStatus } from '../judge/trace/call.ts';
import type { BreakdownFacts, Cause } from '../judge/verdict/cause.ts';
import { getOrMake } from '../schemas/grouping.ts';
import { type Candidate, Candidates, MAX_CHANCE, withoutNulls } from './causes.ts';
import { ExchangeIndex } from './exchange-index.ts';
import { type Noise, noiseIn } from './moments.ts';

export function failuresIn(facts: AcceptanceFacts): Pick<RefusalCauses, 'breakdowns' | 'broken'> {
  const repeats = facts.repeatedRows();
  const noise = noiseIn(repeatsOf(facts.failed, repeats));
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
    const own = times.failed.filter((one) => one.subject === subject);
    const operation: FailingOperation = {
      failed: own.filter(({ assumes }) => assumes !== null && facts.areProven(assumes)),
      accepted: accepted.get(subject) ?? [],
      differentAccepted: acceptedByFingerprint(repeats.get(subject) ?? []).size,
      noise: noise(subject),
    };
    return breakdownCauses(operation, times).map((cause) => breakdownOf(cause, operation, own));
  });
}

/** Number of equal requests that must fail: a run sends a failed request three times. */
const MIN_FAILED_ATTEMPTS = 3;

/**
 * Requests, valid or not, that got 5xx each time they were sent. Other requests show that this was no outage: one was accepted
 * between two of the failures, or none failed at the same time. 502 and 504 come from a gateway whose service may be down.
 */
function brokenRequestsIn(facts: AcceptanceFacts, noise: Noise): readonly FailedRequest[] {
  const { acceptedTimes } = facts;
  const requests = new Map<string, { readonly own: FailedRequest[]; outages: number; isAlone: boolean }>();
  for (const outage of outagesOf(facts.failed, acceptedTimes)) {
    const isAlone = new Set(outage.map(({ fingerprint }) => fingerprint)).size === 1;
    const seen = new Set<string>();
    for (const one of outage) {
      const known = getOrMake(requests, one.fingerprint, () => ({ own: [], outages: 0, isAlone: true }));
      known.own.push(one);
      known.isAlone &&= isAlone;
      if (!seen.has(one.fingerprint)) known.outages += 1;
      seen.add(one.fingerprint);
    }
  }
  return [...requests.values()].flatMap(({ own, outages, isAlone }) => {
    const [first] = own;
    const isByGateway = own.some(({ status }) => status === 502 || status === 504);
    if (
      first === undefined ||
      own.length < MIN_FAILED_ATTEMPTS ||
      !((isAlone && !isByGateway) || outages > 1)
    )
      return [];
    if (facts.wasAnswered(first.fingerprint) || own.some(({ status }) => isCapacityStatus(status))) return [];
    if (noise(first.subject) ** own.length * (requests.size + acceptedTimes.length) > MAX_CHANCE) return [];
    return isDue(first, facts) ? [first] : [];
  });
}

/** Whether the request itself causes the failure. A violation does if its control is accepted. */
function isDue({ isViolation, probe, assumes, subject }: FailedRequest, facts: AcceptanceFacts): boolean {
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
      [...acceptedByFingerprint(rows)].map(([text, accepted]) => {
        return { features: [text], accepted, refused: failures.get(text) ?? 0, exchanges: [] };
      }),
    ]),
  );
}

function acceptedByFingerprint(rows: readonly RequestRow[]): ReadonlyMap<string, number> {
  const texts = new Map<string, number>();
  for (const { features, accepted } of rows) {
    const [text = ''] = features;
    if (accepted > 0) texts.set(text, (texts.get(text) ?? 0) + accepted);
  }
  return texts;
}

interface FailingOperation {
  readonly failed: readonly FailedRequest[];
  readonly accepted: readonly RequestRow[];
  readonly differentAccepted: number;
  /** The probability that a request fails whatever its content, estimated from equal requests. */
  readonly noise: number;
}

interface FailureTimes {
  readonly failed: readonly FailedRequest[];
  readonly accepted: readonly AcceptedTime[];
}

/** Minimum number of outages, and of distinct requests, that a cause must explain: a single one may be chance. */
const MIN_OCCURRENCES = 2;

/** Sets of features that only failed requests have, best first; chance, load and outages are unlikely causes of failure. */
function breakdownCauses(
  { failed, accepted, differentAccepted, noise }: FailingOperation,
  times: FailureTimes,
): readonly Candidate[] {
  const found: Candidate[] = [];
  let [left, rows, open] = [
    failed,
    withoutSizes([...failed.map(rowOf), ...accepted.map(withoutNulls)]),
    times.failed,
  ];
  for (;;) {
    const rate = Math.max(noise, rateOf(shareOf(rows)));
    const best = new Candidates(rows, rate).best(rows.filter((row) => row.refused > 0));
    if (best === null) return found;
    const [covered, rest] = partition(left, best);
    const [all, others] = partition(open, best, covered[0]?.subject);
    const chances = [
      chanceOfOutage(all, { failed: open, accepted: times.accepted }),
      chanceOfOutage(all, timesOf(covered[0]?.subject, { failed: open, accepted: times.accepted })),
      chanceUnderLoad(covered, left, times.accepted),
      chanceByFingerprint(covered, left, differentAccepted),
    ];
    if (best.setsTested * Math.max(...chances) > MAX_CHANCE) return found;
    found.push(best);
    rows = rows.filter((row) => !best.holds(row));
    [left, open] = [rest, others];
  }
}

function rowOf({ features, exchange }: FailedRequest): RequestRow {
  return { features, accepted: 0, refused: 1, exchanges: [exchange] };
}

function partition(
  failed: readonly FailedRequest[],
  cause: Candidate,
  subject = failed[0]?.subject,
): readonly [own: readonly FailedRequest[], others: readonly FailedRequest[]] {
  const own = failed.filter((one) => one.subject === subject && cause.holds(rowOf(one)));
  const ids = new Set(own.map(({ exchange }) => exchange));
  return [own, failed.filter(({ exchange }) => !ids.has(exchange))];
}

/** The probability that outages hit exactly these requests. An outage counts once, however many requests it affects. */
function chanceOfOutage(covered: readonly FailedRequest[], { failed, accepted }: FailureTimes): number {
  const ids = new Set(covered.map(({ exchange }) => exchange));
  const outages = outagesOf(failed, accepted);
  const own = outages.filter((outage) => outage.some(({ exchange }) => ids.has(exchange)));
  return chanceOfDraw(own.length, outages.length, outages.length + accepted.length);
}

function timesOf(subject: string | undefined, { failed, accepted }: FailureTimes): FailureTimes {
  const isOfSubject = (one: { readonly subject: string }) => one.subject === subject;
  return { failed: failed.filter(isOfSubject), accepted: accepted.filter(isOfSubject) };
}

function chanceUnderLoad(
  covered: readonly FailedRequest[],
  failed: readonly FailedRequest[],
  accepted: readonly AcceptedTime[],
): number {
  const subject = covered[0]?.subject;
  const loads = new Map<number, { failed: number; total: number }>();
  const count = (inFlight: number, times: number) => {
    const known = loads.get(inFlight) ?? { failed: 0, total: 0 };
    loads.set(inFlight, { failed: known.failed + times, total: known.total + 1 });
  };
  for (const { inFlight } of failed) count(inFlight, 1);
  for (const one of accepted) if (one.subject === subject) count(one.inFlight, 0);
  return covered.reduce((chance, { inFlight }) => {
    const known = loads.get(inFlight);
    return known === undefined ? chance : chance * (known.failed / known.total);
  }, 1);
}

function chanceOfDraw(certain: number, failed: number, total: number): number {
  if (certain < MIN_OCCURRENCES) return 1;
  return Array.from({ length: certain }, (_, n) => (failed - n) / (total - n)).reduce((a, b) => a * b, 1);
}

/** Groups failures that may belong to one outage. A request sent after a failure and then accepted ends the outage. */
function outagesOf(
  failed: readonly FailedRequest[],
  accepted: readonly AcceptedTime[],
): readonly (readonly FailedRequest[])[] {
  const outages: FailedRequest[][] = [];
  let [firstEnd, lastAccepted, place] = [0, 0, 0];
  for (const one of failed.toSorted((a, b) => a.after - b.after || a.at - b.at)) {
    for (; (accepted[place]?.at ?? Number.POSITIVE_INFINITY) <= one.after; place += 1)
      lastAccepted = Math.max(lastAccepted, accepted[place]?.after ?? 0);
    const isNewOutage = outages.length === 0 || lastAccepted >= firstEnd;
    if (isNewOutage) outages.push([]);
    firstEnd = isNewOutage ? one.at : Math.min(firstEnd, one.at);
    outages.at(-1)?.push(one);
  }
  return outages;
}

function chanceByFingerprint(
  covered: readonly FailedRequest[],
  failed: readonly FailedRequest[],
  differentAccepted: number,
): number {
  const different = (some: readonly FailedRequest[]) => new Set(some.map((one) => one.fingerprint)).size;
  const all = different(failed);
  return chanceOfDraw(different(covered), all, all + differentAccepted);
}

/** Explains inconclusive verdicts by failures of the target: recurring ones, or overload. */
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

  /** The cause if each scenario lost requests of the operations to failures, or null. Unexplained overload comes first. */
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
