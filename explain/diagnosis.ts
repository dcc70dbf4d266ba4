import { hasAll, withoutSizes } from '../judge/acceptance/body-size.ts';
import {
  type AcceptanceFacts,
  type AcceptedTime,
  acceptanceRequirementId,
  type Breakdown,
  causeId,
  type DiagnosedOperation,
  type Diagnosis,
  type FailedRequest,
  type Failures,
  FEATURELESS_CAUSES,
  isAcceptanceRequirement,
  operationOfSubject,
  type RefusalCauses,
  type RequestRow,
  type RowsBySubject,
  rateOf,
  type Share,
  shareOf,
  type UndecidedRefusal,
} from '../judge/requirements/refusals.ts';
import type { RequirementState } from '../judge/state-sink.ts';
import { isCapacityStatus } from '../judge/trace/call.ts';
import type { BreakdownFacts, Cause } from '../judge/verdict/cause.ts';
import { isBroken } from '../judge/verdict/failure-count.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../judge/verdict/verdict.ts';
import { getOrMake } from '../schemas/grouping.ts';
import {
  type Candidate,
  Candidates,
  CHANCE,
  type Explanation,
  exchangesOf,
  explain,
  withoutNulls,
} from './causes.ts';
import { decisiveMoment, likelyMoment, type Noise, noiseIn } from './moments.ts';

export function explainRefusals(facts: AcceptanceFacts): RefusalCauses {
  const refused = facts.refusedRows.size === 0 ? [] : diagnose(withAccepted(facts), facts.repeatedRows());
  const diagnoses = [
    ...refused,
    ...closingFeatures(facts, new Set(refused.map(({ feature }) => feature))),
    ...refusesAll(facts.unprovenRows, facts.accepted.size === 0 ? 'target' : 'operations'),
  ];
  return {
    diagnoses: diagnoses.map((one) => withUndecided(one, facts.undecided)),
    ...(facts.failed.length === 0 ? { breakdowns: [], broken: [] } : failuresIn(facts)),
  };
}

/** Features on which the target closes the connection each time, except those for which it refuses requests. */
function closingFeatures(facts: AcceptanceFacts, refused: ReadonlySet<string>): readonly Diagnosis[] {
  const rows = new Map<string, RequestRow[]>();
  for (const { subject, isClosedEachTime, closed } of facts.unanswered)
    if (isClosedEachTime === true && closed !== undefined)
      getOrMake(rows, subject, () => []).push({ ...closed, accepted: 0, refused: 1 });
  if (rows.size === 0) return [];
  return diagnose(withAccepted({ ...facts, refusedRows: rows }), facts.repeatedRows()).flatMap((one) =>
    one.kind === 'features' && !refused.has(one.feature)
      ? [{ ...one, closes: true as const, equivalent: [] }]
      : [],
  );
}

function withAccepted({ refusedRows, acceptedRows }: AcceptanceFacts): RowsBySubject {
  const all = new Map(refusedRows);
  for (const [subject, accepted] of acceptedRows())
    all.set(subject, [...(refusedRows.get(subject) ?? []), ...accepted]);
  return all;
}

/** Adds undecided refusals that the cause explains: other requirements may fail because of them. */
function withUndecided(diagnosis: Diagnosis, refusals: readonly UndecidedRefusal[]): Diagnosis {
  const { features, kind } = diagnosis;
  const explained = refusals.filter((one) => kind !== 'unexplained' && hasAll(one.features, features));
  const operations = diagnosis.operations.map((operation) => ({
    ...operation,
    undecided: explained.flatMap(({ subject, exchange }) =>
      subject === operation.subject ? [exchange] : [],
    ),
  }));
  return { ...diagnosis, operations };
}

/**
 * Explains refusals by operation, then merges equal causes across operations. `repeats` has a row for each distinct
 * request and moment, which shows whether the target treats equal requests alike.
 */
function diagnose(rows: RowsBySubject, repeats: RowsBySubject): readonly Diagnosis[] {
  const noise = noiseIn(repeats);
  const causes = new Map<string, Diagnosis>();
  const all = [...rows.values()].flat();
  const refusing = [...rows.values()].filter((own) => shareOf(own).refused > 0);
  const decisive = refusing.length > 1 ? decisiveMoment(all) : null;
  const isNoisy = [...rows.keys()].some((subject) => noise(subject) > 0);
  const moment = decisive ?? (isNoisy ? likelyMoment(all) : null);
  for (const [subject, own] of rows) {
    const rate = noise(subject);
    const found =
      moment === null
        ? explain(own, rate)
        : explainByMoment(own, moment, { rate, isPure: decisive !== null });
    for (const one of found) {
      const diagnosis = diagnosisOf(one, subject);
      const isShared = one.kind === 'features' || one.kind === 'inconsistent';
      const key = isShared ? diagnosis.feature : `${diagnosis.feature} ${subject}`;
      const known = causes.get(key);
      causes.set(key, known === undefined ? diagnosis : joinDiagnoses(known, diagnosis));
    }
  }
  return [...causes.values()].toSorted((a, b) => refusedBy(b) - refusedBy(a));
}

/**
 * Causes of operations that refuse every request, although none is proven valid: a single cause if the target
 * accepts nothing at all, else one per operation.
 */
function refusesAll(rows: RowsBySubject, extent: 'target' | 'operations'): readonly Diagnosis[] {
  const each = [...rows].flatMap(([subject, own]): Diagnosis[] => {
    const all = shareOf(own);
    if (all.refused === 0) return [];
    const kind = 'everything' as const;
    return [{ ...diagnosisOf({ kind, all, exchanges: exchangesOf(own) }, subject), proven: false }];
  });
  const [first, ...others] = each;
  return first === undefined || extent === 'operations' ? each : [others.reduce(joinDiagnoses, first)];
}

/**
 * Attributes refusals at the given moment to that moment, and explains the others by features. Unless every request at that
 * moment was refused, it also covers refusals that no feature explains, because the load at a request is known only roughly.
 */
function explainByMoment(
  own: readonly RequestRow[],
  moment: string,
  { rate, isPure }: { readonly rate: number; readonly isPure: boolean },
): readonly Explanation[] {
  const ofMoment = own.filter(({ features }) => features.includes(moment));
  const others = own.filter((row) => !ofMoment.includes(row));
  const found = explain(others, rate).filter(({ kind }) => isPure || kind === 'features');
  if (shareOf(ofMoment).refused === 0) return found;
  const momentary: Explanation = {
    kind: 'features',
    features: [moment],
    equivalent: [],
    with: shareOf(ofMoment),
    without: shareOf(others),
    exchanges: exchangesOf(isPure ? ofMoment : own),
  };
  return [momentary, ...found];
}

const NONE: Share = { refused: 0, total: 0 };

function diagnosisOf(one: Explanation, subject: string): Diagnosis {
  const { kind, exchanges } = one;
  const proven = true;
  if (kind !== 'features') {
    const operations = [{ subject, with: one.all, without: NONE, exchanges, undecided: [] }];
    return { kind, feature: FEATURELESS_CAUSES[kind], features: [], equivalent: [], proven, operations };
  }
  const { features, equivalent, without } = one;
  const operations = [{ subject, with: one.with, without, exchanges, undecided: [] }];
  return { kind, feature: features.join('&'), features, equivalent, proven, operations };
}

/** Merges the operations of two diagnoses and keeps the equivalent sets that both have. */
function joinDiagnoses(one: Diagnosis, other: Diagnosis): Diagnosis {
  const others = new Set(other.equivalent.map((features) => features.join(' ')));
  return {
    ...one,
    equivalent: one.equivalent.filter((features) => others.has(features.join(' '))),
    operations: [...one.operations, ...other.operations],
  };
}

function refusedBy({ operations }: Diagnosis): number {
  return operations.reduce((sum, one) => sum + one.with.refused, 0);
}

/** Maximum number of exchanges that a verdict names. */
const MOST_NAMED = 20;

/** Relates failing requirements to the causes for which a target refuses valid requests. */
export class DiagnosisVerdicts {
  readonly #diagnoses: readonly Diagnosis[];
  readonly #causes = new ExchangeIndex<string>();
  readonly #proven = new Set<string>();

  constructor(diagnoses: readonly Diagnosis[]) {
    this.#diagnoses = diagnoses;
    for (const { feature, operations, proven } of diagnoses)
      for (const { subject, exchanges, undecided } of operations)
        for (const exchange of [...exchanges, ...undecided]) {
          if (proven) this.#proven.add(causeId(subject, feature));
          this.#causes.add(exchange, causeId(subject, feature));
        }
  }

  /**
   * Ids of the causes behind a failing requirement: each exchange with a finding was refused for one of them. Empty if
   * another exchange shows a finding too, if there were too many to keep, or for a requirement on acceptance itself.
   */
  causesOf({ requirement, exchangesAtFault }: RequirementState): readonly string[] {
    if (isAcceptanceRequirement(requirement.id) || exchangesAtFault === null) return [];
    return this.#causes.explanationsOfAll(exchangesAtFault);
  }

  causesAmong(exchanges: readonly string[]): readonly string[] {
    const causes = exchanges.flatMap((exchange) => this.#causes.explanationsOf(exchange));
    return [...new Set(causes)].filter((id) => this.#proven.has(id));
  }

  reported(requirements: readonly RequirementVerdict[]): readonly DiagnosisVerdict[] {
    const failing = new Set(
      requirements.flatMap(({ verdict, findings }) =>
        verdict === 'fail' ? findings.flatMap((finding) => finding.causeId ?? []) : [],
      ),
    );
    return this.#diagnoses.flatMap(({ operations, feature, ...diagnosis }) => {
      const ids = new Set(operations.map(({ subject }) => causeId(subject, feature)));
      const dependent = requirements.filter(({ consequenceOf = [] }) =>
        consequenceOf.some((id) => ids.has(id)),
      );
      const consequences = dependent.filter(isBroken).map(({ id }) => id);
      const withoutEvidence = dependent.filter((one) => !isBroken(one)).map(({ id }) => id);
      const broken = operations.filter(({ subject }) => failing.has(causeId(subject, feature)));
      if (broken.length + consequences.length === 0) return [];
      const shown = broken.length === 0 ? operations : broken;
      const causes = shown.map((one) => operationVerdict(one, feature));
      return [{ ...diagnosis, feature, operations: causes, consequences, withoutEvidence }];
    });
  }
}

function operationVerdict(
  { subject, with: share, without, exchanges }: DiagnosedOperation,
  feature: string,
): DiagnosisVerdict['operations'][number] {
  return {
    id: causeId(subject, feature),
    requirement: acceptanceRequirementId(subject),
    with: share,
    without,
    exchanges: exchanges.slice(0, MOST_NAMED),
  };
}

// Breakdowns: features of valid requests on which a target fails every time; repeating the run does not help.

function failuresIn(facts: AcceptanceFacts): Pick<RefusalCauses, 'breakdowns' | 'broken'> {
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
      differentAccepted: acceptedByText(repeats.get(subject) ?? []).size,
      noise: noise(subject),
    };
    return breakdownCauses(operation, times).map((cause) => breakdownOf(cause, operation, own));
  });
}

/** Number of equal requests that must fail: a run sends a failed request three times. */
const ATTEMPTS = 3;

/**
 * Requests, valid or not, that got 5xx each time they were sent. Other requests show that this was no outage: one was accepted
 * between two of the failures, or none failed at the same time. 502 and 504 come from a gateway whose service may be down.
 */
function brokenRequestsIn(facts: AcceptanceFacts, noise: Noise): readonly FailedRequest[] {
  const { acceptedTimes } = facts;
  const outages = outagesOf(facts.failed, acceptedTimes);
  const requests = new Map<string, { readonly own: FailedRequest[]; met: number; isAlone: boolean }>();
  for (const outage of outages) {
    const isAlone = new Set(outage.map(({ fingerprint }) => fingerprint)).size === 1;
    const seen = new Set<string>();
    for (const one of outage) {
      const known = getOrMake(requests, one.fingerprint, () => ({ own: [], met: 0, isAlone: true }));
      known.own.push(one);
      known.isAlone &&= isAlone;
      if (!seen.has(one.fingerprint)) known.met += 1;
      seen.add(one.fingerprint);
    }
  }
  return [...requests.values()].flatMap(({ own, met, isAlone }) => {
    const [first] = own;
    const isByGateway = own.some(({ status }) => status === 502 || status === 504);
    if (first === undefined || own.length < ATTEMPTS || !((isAlone && !isByGateway) || met > 1)) return [];
    if (facts.wasAnswered(first.fingerprint) || own.some(({ status }) => isCapacityStatus(status))) return [];
    if (noise(first.subject) ** own.length * (requests.size + acceptedTimes.length) > CHANCE) return [];
    return isDue(first, facts) ? [first] : [];
  });
}

/**
 * Whether the request itself causes the failure. A violation does if its control, which lacks only the violation, is accepted.
 * Probes with valid requests do not count, because they fail their own requirement.
 */
function isDue({ isViolation, probe, assumes, subject }: FailedRequest, facts: AcceptanceFacts): boolean {
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
      [...acceptedByText(rows)].map(([text, accepted]) => {
        return { features: [text], accepted, refused: failures.get(text) ?? 0, exchanges: [] };
      }),
    ]),
  );
}

function acceptedByText(rows: readonly RequestRow[]): ReadonlyMap<string, number> {
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

/** Failed requests of all operations, and the times of accepted ones. */
interface FailureTimes {
  readonly failed: readonly FailedRequest[];
  readonly accepted: readonly AcceptedTime[];
}

/** Minimum number of outages, and of distinct requests, that a cause must explain: a single one may be chance. */
const LEAST = 2;

/**
 * Sets of features that only failed requests of an operation have, best explanation first. Failures (429, 5xx,
 * timeouts) also occur at random, under load and during outages; a set counts only if none of these is a likely
 * explanation.
 */
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
    const [covered, rest] = split(left, best);
    const [all, others] = split(open, best, covered[0]?.subject);
    const chances = [
      chanceInTime(all, { failed: open, accepted: times.accepted }),
      chanceInTime(all, timesOfSubject(covered[0]?.subject, { failed: open, accepted: times.accepted })),
      chanceUnderLoad(covered, left, times.accepted),
      chanceByText(covered, left, differentAccepted),
    ];
    if (best.among * Math.max(...chances) > CHANCE) return found;
    found.push(best);
    rows = rows.filter((row) => !best.holds(row));
    [left, open] = [rest, others];
  }
}

function rowOf({ features, exchange }: FailedRequest): RequestRow {
  return { features, accepted: 0, refused: 1, exchanges: [exchange] };
}

function split(
  failed: readonly FailedRequest[],
  cause: Candidate,
  subject = failed[0]?.subject,
): readonly [own: readonly FailedRequest[], others: readonly FailedRequest[]] {
  const own = failed.filter((one) => one.subject === subject && cause.holds(rowOf(one)));
  const ids = new Set(own.map(({ exchange }) => exchange));
  return [own, failed.filter(({ exchange }) => !ids.has(exchange))];
}

/**
 * The probability that outages hit exactly these requests. An outage can begin at any time and counts once, however
 * many requests it affects.
 */
function chanceInTime(covered: readonly FailedRequest[], { failed, accepted }: FailureTimes): number {
  const ids = new Set(covered.map(({ exchange }) => exchange));
  const outages = outagesOf(failed, accepted);
  const own = outages.filter((outage) => outage.some(({ exchange }) => ids.has(exchange)));
  return chanceOfDraw(own.length, outages.length, outages.length + accepted.length);
}

function timesOfSubject(subject: string | undefined, { failed, accepted }: FailureTimes): FailureTimes {
  const isOfIt = (one: { readonly subject: string }) => one.subject === subject;
  return { failed: failed.filter(isOfIt), accepted: accepted.filter(isOfIt) };
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
  if (certain < LEAST) return 1;
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
    const isOther = outages.length === 0 || lastAccepted >= firstEnd;
    if (isOther) outages.push([]);
    firstEnd = isOther ? one.at : Math.min(firstEnd, one.at);
    outages.at(-1)?.push(one);
  }
  return outages;
}

function chanceByText(
  covered: readonly FailedRequest[],
  failed: readonly FailedRequest[],
  differentAccepted: number,
): number {
  const different = (some: readonly FailedRequest[]) => new Set(some.map((one) => one.fingerprint)).size;
  const all = different(failed);
  return chanceOfDraw(different(covered), all, all + differentAccepted);
}

/** Explains inconclusive verdicts by failures of the target: one that recurs, or overload. */
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

  /** Failures behind a failing requirement; empty unless every exchange with a finding met one. */
  faultsBehind({ exchangesAtFault }: Pick<RequirementState, 'exchangesAtFault'>): readonly BreakdownFacts[] {
    return this.#byExchange.explanationsOfAll(exchangesAtFault ?? []).map(factsOf);
  }

  /**
   * The cause if each of these scenarios lost requests of these operations to failures. Null if one of them lost
   * none: it alone could have shown the evidence. Unexplained failures come first, because they may not recur.
   */
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

/** Explanations by the exchanges that they cover. */
class ExchangeIndex<T> {
  readonly #explanations = new Map<string, T[]>();

  add(exchange: string, explanation: T): void {
    getOrMake(this.#explanations, exchange, () => []).push(explanation);
  }

  explanationsOf(exchange: string): readonly T[] {
    return this.#explanations.get(exchange) ?? [];
  }

  /** The distinct explanations of these exchanges; empty if one of them has none. */
  explanationsOfAll(exchanges: readonly string[]): readonly T[] {
    const found = exchanges.map((exchange) => this.explanationsOf(exchange));
    return found.some((explanations) => explanations.length === 0) ? [] : [...new Set(found.flat())];
  }
}
