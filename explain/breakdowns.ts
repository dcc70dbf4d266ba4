// Finds features of valid requests, and single requests, for which a target fails every time they are sent.
import { withoutSizes } from '../judge/acceptance/body-size.ts';
import {
  type AcceptanceFacts,
  type AcceptedTime,
  type FailedRequest,
  type RequestRow,
  type RowsBySubject,
  rateOf,
  shareOf,
} from '../judge/requirements/acceptance-facts.ts';
import type { Breakdown, RefusalCauses } from '../judge/requirements/refusal-causes.ts';
import { isCapacityStatus } from '../judge/trace/response-class.ts';
import { getOrMake } from '../schemas/maps.ts';
import { type Candidate, Candidates, MAX_CHANCE } from './candidates.ts';
import { withoutNulls } from './causes.ts';
import { estimateNoise, type Noise } from './noise.ts';

/** Minimum number of failed attempts for a request to count as broken: a run usually sends it three times. */
const MIN_FAILED_ATTEMPTS = 3;
/** Minimum number of outages, and of distinct requests, that a cause must explain: a single one may be chance. */
const MIN_OCCURRENCES = 2;

export function findFailures(facts: AcceptanceFacts): Pick<RefusalCauses, 'breakdowns' | 'broken'> {
  const repeats = facts.repeatedRows();
  const noise = estimateNoise(countRepeats(facts.failed, repeats));
  const breakdowns = findBreakdowns(facts, repeats, noise);
  const explained = new Set(breakdowns.flatMap(({ exchanges }) => exchanges));
  const broken = findBrokenRequests(facts, noise).filter(({ exchange }) => !explained.has(exchange));
  return { breakdowns, broken };
}

function findBreakdowns(facts: AcceptanceFacts, repeats: RowsBySubject, noise: Noise): readonly Breakdown[] {
  const times: FailureTimes = { failed: facts.failed, accepted: facts.acceptedTimes };
  const accepted = facts.acceptedRows();
  const subjects = new Set(times.failed.map(({ subject }) => subject));
  return [...subjects].flatMap((subject) => {
    const failures = times.failed.filter((request) => request.subject === subject);
    const operation: FailingOperation = {
      subject,
      failed: failures.filter(({ assumes }) => assumes !== null && facts.areProven(assumes)),
      accepted: accepted.get(subject) ?? [],
      distinctAcceptedCount: countAccepted(repeats.get(subject) ?? []).size,
      noise: noise(subject),
    };
    return findCauses(operation, times).map((cause) => makeBreakdown(cause, operation, failures));
  });
}

/**
 * Requests, valid or not, that got 5xx (not 501 or 503) each time, and not in an outage: another request was accepted
 * between two failures, or no other failed meanwhile. 502 and 504 come from a gateway whose service may be down.
 */
function findBrokenRequests(facts: AcceptanceFacts, noise: Noise): readonly FailedRequest[] {
  const { acceptedTimes } = facts;
  const requests = new Map<string, { attempts: FailedRequest[]; outages: number; isAlone: boolean }>();
  for (const outage of groupIntoOutages(facts.failed, acceptedTimes)) {
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
    const mayBeOutage = outages === 1 && (!isAlone || isByGateway);
    if (first === undefined || attempts.length < MIN_FAILED_ATTEMPTS || mayBeOutage) return [];
    if (facts.wasAnswered(first.fingerprint)) return [];
    if (attempts.some(({ status }) => isCapacityStatus(status))) return [];
    const chance = noise(first.subject) ** attempts.length * (requests.size + acceptedTimes.length);
    return chance > MAX_CHANCE || !isAtFault(first, facts) ? [] : [first];
  });
}

/** An invalid request is the cause only if its operation accepts others, and its control, if any, was accepted. */
function isAtFault({ isViolation, probe, assumes, subject }: FailedRequest, facts: AcceptanceFacts): boolean {
  // If a probe sends a valid request, its failure already fails the requirement of the probe.
  if (!isViolation) return probe === null && assumes !== null && facts.areProven(assumes);
  if (probe === null || probe.requirement === null || !facts.accepted.has(subject)) return false;
  return probe.control === null || facts.areProven([probe.control]);
}

function makeBreakdown(
  { features }: Candidate,
  { subject, failed, accepted }: FailingOperation,
  failures: readonly FailedRequest[],
): Breakdown {
  const has = (one: Pick<FailedRequest, 'features'>) => features.every((name) => one.features.includes(name));
  const valid = failed.filter(has);
  const { total } = shareOf(accepted);
  return {
    subject,
    features,
    statuses: [...new Set(valid.map(({ status }) => status))].toSorted((a, b) => (a ?? 0) - (b ?? 0)),
    with: { failed: valid.length, total: valid.length },
    without: { failed: failed.length - valid.length, total: failed.length - valid.length + total },
    exchanges: failures.filter(has).map(({ exchange }) => exchange),
  };
}

function countRepeats(failed: readonly FailedRequest[], repeats: RowsBySubject): RowsBySubject {
  const failures = new Map<string, number>();
  for (const { fingerprint } of failed) failures.set(fingerprint, (failures.get(fingerprint) ?? 0) + 1);
  return new Map(
    [...repeats].map(([subject, rows]) => [
      subject,
      [...countAccepted(rows)].map(([fingerprint, accepted]) => {
        return { features: [fingerprint], accepted, refused: failures.get(fingerprint) ?? 0, exchanges: [] };
      }),
    ]),
  );
}

function countAccepted(rows: readonly RequestRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { features, accepted } of rows) {
    const [fingerprint = ''] = features;
    if (accepted > 0) counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + accepted);
  }
  return counts;
}

interface FailingOperation {
  readonly subject: string;
  readonly failed: readonly FailedRequest[];
  readonly accepted: readonly RequestRow[];
  readonly distinctAcceptedCount: number;
  readonly noise: number;
}

interface FailureTimes {
  readonly failed: readonly FailedRequest[];
  readonly accepted: readonly AcceptedTime[];
}

function findCauses(
  { subject, failed, accepted, distinctAcceptedCount, noise }: FailingOperation,
  times: FailureTimes,
): readonly Candidate[] {
  const causes: Candidate[] = [];
  let rows = withoutSizes([...failed.map(toRow), ...accepted.map(withoutNulls)]);
  let unexplained = failed;
  let remaining = times.failed;
  while (true) {
    const rate = Math.max(noise, rateOf(shareOf(rows)));
    const best = new Candidates(rows, rate).findBest(rows.filter((row) => row.refused > 0));
    if (best === null) return causes;
    const [covered, uncovered] = partition(unexplained, best, subject);
    const [allCovered, others] = partition(remaining, best, subject);
    const remainingTimes = { failed: remaining, accepted: times.accepted };
    const ownTimes = filterTimes(remainingTimes, subject);
    const chances = [
      estimateOutageChance(allCovered, remainingTimes),
      estimateOutageChance(allCovered, ownTimes),
      estimateLoadChance(covered, unexplained, ownTimes.accepted),
      estimateFingerprintChance(covered, unexplained, distinctAcceptedCount),
    ];
    if (best.setsTested * Math.max(...chances) > MAX_CHANCE) return causes;
    causes.push(best);
    rows = rows.filter((row) => !best.holds(row));
    unexplained = uncovered;
    remaining = others;
  }
}

function toRow({ features, exchange }: FailedRequest): RequestRow {
  return { features, accepted: 0, refused: 1, exchanges: [exchange] };
}

function partition(
  failed: readonly FailedRequest[],
  cause: Candidate,
  subject: string,
): readonly [covered: readonly FailedRequest[], others: readonly FailedRequest[]] {
  const covered = failed.filter((request) => request.subject === subject && cause.holds(toRow(request)));
  const ids = new Set(covered.map(({ exchange }) => exchange));
  return [covered, failed.filter(({ exchange }) => !ids.has(exchange))];
}

/** An outage counts once, however many requests it affects. */
function estimateOutageChance(covered: readonly FailedRequest[], { failed, accepted }: FailureTimes): number {
  const ids = new Set(covered.map(({ exchange }) => exchange));
  const outages = groupIntoOutages(failed, accepted);
  const hits = outages.filter((outage) => outage.some(({ exchange }) => ids.has(exchange)));
  return computeDrawChance(hits.length, outages.length, outages.length + accepted.length);
}

function filterTimes({ failed, accepted }: FailureTimes, subject: string): FailureTimes {
  const isOfSubject = (one: { readonly subject: string }) => one.subject === subject;
  return { failed: failed.filter(isOfSubject), accepted: accepted.filter(isOfSubject) };
}

/** The probability that load alone explains these failures, from the failure rate per number of requests in flight. */
function estimateLoadChance(
  covered: readonly FailedRequest[],
  failed: readonly FailedRequest[],
  accepted: readonly AcceptedTime[],
): number {
  const loads = new Map<number, { failed: number; total: number }>();
  const loadAt = (inFlight: number) => getOrMake(loads, inFlight, () => ({ failed: 0, total: 0 }));
  for (const { inFlight } of failed) {
    loadAt(inFlight).failed += 1;
    loadAt(inFlight).total += 1;
  }
  for (const { inFlight } of accepted) loadAt(inFlight).total += 1;
  let chance = 1;
  for (const { inFlight } of covered) chance *= loadAt(inFlight).failed / loadAt(inFlight).total;
  return chance;
}

/**
 * The probability that `drawn` random draws from `total`, without replacement, all hit one of the `failed`; 1 for fewer
 * than `MIN_OCCURRENCES` draws.
 */
function computeDrawChance(drawn: number, failed: number, total: number): number {
  if (drawn < MIN_OCCURRENCES) return 1;
  let chance = 1;
  for (let n = 0; n < drawn; n += 1) chance *= (failed - n) / (total - n);
  return chance;
}

/** A request sent after a failure and then accepted ends the outage. */
function groupIntoOutages(
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

function estimateFingerprintChance(
  covered: readonly FailedRequest[],
  failed: readonly FailedRequest[],
  distinctAcceptedCount: number,
): number {
  const countDistinct = (list: readonly FailedRequest[]) => new Set(list.map((one) => one.fingerprint)).size;
  const total = countDistinct(failed);
  return computeDrawChance(countDistinct(covered), total, total + distinctAcceptedCount);
}
