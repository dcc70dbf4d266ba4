import type { Exchange } from '../../exchange/exchange.ts';
import { probedRequirement } from '../probe/probe-evaluator.ts';
import { isCarriedOut } from '../probe/probe-outcomes.ts';
import { type Subject, subjectOf, subjects } from '../probe/request-constraints.ts';
import {
  type AcceptanceFacts,
  type AcceptedTime,
  closesEachTime,
  shareOf,
  type UnansweredRequest,
} from '../requirements/acceptance-facts.ts';
import type { Requirement, RequirementSet } from '../requirements/catalogue.ts';
import type { Evaluator, ResultSink } from '../requirements/evaluator.ts';
import {
  acceptanceRequirementId,
  type Breakdown,
  causeId,
  type DiagnosedOperation,
  type Diagnosis,
  type RefusalCauses,
  refusalVerb,
} from '../requirements/refusal-causes.ts';
import type { Exclusion, Violation } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { LruMap } from '../trace/lru-map.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import { numberOf, type Timed } from '../trace/timed.ts';
import { undecidedReason } from '../trace/undecided-reason.ts';
import { AcceptanceTally, isTargetFailure } from './acceptance-tally.ts';
import { extractAcceptedRequest, REFUSABLE_OPERATIONS } from './accepted-request.ts';
import { assumptions } from './assumptions.ts';
import { type Expectation, expectationOf, violatingFeatures } from './expectation.ts';
import { fingerprintOf } from './fingerprint.ts';
import { affectedObject, KnownObjects, modifiedObject } from './known-objects.ts';
import type { MomentOutcomes } from './moments.ts';
import type { RefusedKind } from './refused-kinds.ts';
import { unansweredReason } from './unanswered-requests.ts';

const MAX_PENDING_REFUSALS = 1000;
const EXPECTED_ANSWER = 'a 2xx answer to each valid request';
const ALWAYS_CLOSED = 'no response: the connection closes each time the request is sent';

interface PendingRefusal {
  readonly kind: RefusedKind;
  readonly refusal: RefusedKind['exchanges'][number];
  readonly ended: number;
  readonly ids: readonly string[];
  readonly outcomes: MomentOutcomes;
}

export class AcceptanceEvaluator implements Evaluator {
  readonly #sink: ResultSink;
  #objects = new KnownObjects();
  readonly #tally = new AcceptanceTally();
  readonly #pendingRefusals = new LruMap<PendingRefusal>(MAX_PENDING_REFUSALS);
  #before = 0;
  #last = 0;

  constructor(sink: ResultSink) {
    this.#sink = sink;
  }

  call(call: Call): void {
    this.#tally.countConnection(call);
    const outcome = outcomeOf(call);
    if (outcome === 'accepted' && call.knowsRequest) this.#accept(call);
    else if (outcome === 'refused' && call.knowsRequest) this.#refuse(call);
    else if (outcome === 'refused') this.#tally.countOpen('unreadable', 1);
    else if (call.knowsRequest && unansweredReason(call) !== null) this.#keepUnanswered(call);
    this.context(call);
  }

  context(call: Call): void {
    const changed = affectedObject(call) ?? modifiedObject(call);
    if (changed !== null) this.#withdraw([changed], call.exchange);
    this.#objects.call(call);
    this.#last = Math.max(this.#last, numberOf(call.exchange.id));
  }

  /** The objects that the call names may then be deleted or busy. */
  outside(call: OutsideCall): void {
    this.#withdraw([call.target, ...call.owners], call.exchange);
    this.#objects.markOutsideCall(call);
  }

  permit(exchange: string): void {
    this.#tally.permit(exchange);
  }

  next(before = this.#last): void {
    this.#objects = new KnownObjects();
    for (const [exchange] of [...this.#pendingRefusals.entries()]) this.#pendingRefusals.delete(exchange);
    this.#before = before;
  }

  part(): ReturnType<AcceptanceTally['part']> {
    return this.#tally.part();
  }

  absorb(part: ReturnType<AcceptanceTally['part']>): void {
    this.#tally.absorb(part);
  }

  /** Results depend on all traces, so `conclude` reports them. */
  finish(): void {}

  conclude(): void {
    const facts = this.#tally.facts();
    this.#sink.excuse(facts.excused);
    const causes = this.#sink.explainRefusals(facts);
    this.#observeAnswered(facts);
    this.#reportUnanswered(facts.unanswered, causes);
    for (const breakdown of causes.breakdowns.filter(isFaultOfService))
      this.#sink.report(acceptanceRequirementId(breakdown.subject), breakdownViolation(breakdown), []);
    for (const { subject, probe, status: actual, exchange } of causes.broken) {
      const id = probe?.requirement ?? acceptanceRequirementId(subject);
      const expected = probe === null ? EXPECTED_ANSWER : 'a rejection';
      this.#sink.report(id, { at: 'status', expected, actual, exchange }, []);
    }
    for (const diagnosis of causes.diagnoses.filter(({ proven }) => proven))
      for (const operation of diagnosis.operations) {
        const id = acceptanceRequirementId(operation.subject);
        this.#sink.report(id, refusalViolation(diagnosis, operation), []);
      }
  }

  #observeAnswered({ accepted, refusedRows, unanswered }: AcceptanceFacts): void {
    const refusals = [...refusedRows].map(([subject, rows]) => [subject, shareOf(rows).refused] as const);
    // Whether an operation accepts all requests is unknown if it is unknown for one of them.
    const unansweredSubjects = new Set(unanswered.map(({ subject }) => subject));
    for (const [subject, times] of [...accepted, ...refusals])
      if (times > 0 && !unansweredSubjects.has(subject))
        this.#sink.observe(acceptanceRequirementId(subject), times, this.#tally.firstAccepted(subject));
  }

  #reportUnanswered(
    unanswered: readonly UnansweredRequest[],
    { diagnoses, breakdowns }: Pick<RefusalCauses, 'diagnoses' | 'breakdowns'>,
  ): void {
    const closing = new Set(
      diagnoses
        .filter(({ closes }) => closes === true)
        .flatMap(({ operations }) => operations.flatMap(({ exchanges }) => exchanges)),
    );
    const notClosing = unanswered.filter(({ exchange }) => !closing.has(exchange));
    const unexplained = withoutBreakdowns(notClosing, breakdowns);
    for (const { subject, exchange, status, why, closed } of unexplained)
      this.#sink.report(
        acceptanceRequirementId(subject),
        closesEachTime(closed)
          ? { at: 'connection', expected: EXPECTED_ANSWER, actual: ALWAYS_CLOSED, exchange }
          : { at: 'status', expected: EXPECTED_ANSWER, actual: status, exchange, inconclusive: why },
        [],
      );
  }

  #accept(call: Call): void {
    this.#tally.revokedKeys.accept(call);
    const fingerprint = fingerprintOf(call);
    const outcomes = this.#outcomesOf(fingerprint, call);
    if (outcomes.accepted === 0)
      for (const assumption of assumptions(call, this.#objects) ?? []) this.#tally.prove(assumption);
    outcomes.accepted += 1;
    if (call.exchange.probe !== null) this.#tally.prove(acceptedControl(call.exchange.probe.id));
    this.#tally.unanswered.settle(fingerprint);
    const { operation, variant, exchange } = call;
    if (variant !== null && exchange.scenario !== null)
      this.#tally.acceptedTimes.add({ subject: subjectOf(operation, variant), ...this.#sentAt(call) });
    const request = extractAcceptedRequest(call);
    if (request === null) return;
    this.#tally.accept(request.subject, 1, this.#time(call));
    this.#tally.sent.keep(fingerprint, request);
  }

  #keepUnanswered(call: Call): void {
    const { operation, variant } = call;
    const fingerprint = fingerprintOf(call);
    const isFailed = isTargetFailure(call);
    if (variant === null || (!isFailed && this.#tally.sent.wasAccepted(fingerprint))) return;
    const expectation = this.#expectationOf(call);
    if (isFailed) this.#fail(call, expectation);
    if (expectation.kind !== 'due' || this.#tally.sent.wasAccepted(fingerprint)) return;
    this.#tally.unanswered.add(fingerprint, call, {
      subject: subjectOf(operation, variant),
      assumes: expectation.assumes,
      features: expectation.features.toSorted(),
    });
  }

  #fail(call: Call, expectation: Expectation): void {
    const { operation, variant, exchange, status } = call;
    if (variant === null || exchange.scenario === null) return;
    const isDue = expectation.kind === 'due';
    const isViolation = expectation.kind === 'violation';
    const { probe } = exchange;
    const features = isViolation ? violatingFeatures(call) : expectation.features;
    this.#tally.failed.add({
      subject: subjectOf(operation, variant),
      features: features.toSorted(),
      assumes: isDue ? expectation.assumes : null,
      exchange: exchange.id,
      scenario: exchange.scenario,
      status,
      isViolation,
      probe:
        probe === null
          ? null
          : {
              requirement: probedRequirement(call, isViolation ? 'rejected' : 'accepted'),
              control: probe.control === null ? null : acceptedControl(probe.control),
            },
      fingerprint: fingerprintOf(call),
      ...this.#sentAt(call),
    });
  }

  #refuse(call: Call): void {
    const fingerprint = fingerprintOf(call);
    const outcomes = this.#outcomesOf(fingerprint, call);
    const expectation = this.#expectationOf(call);
    if (expectation.kind === 'due') this.#countRefusal(call, expectation, outcomes);
    if (expectation.kind !== 'open') return;
    this.#tally.countOpen(expectation.why, 1);
    const { operation, variant, exchange } = call;
    if (variant === null) return;
    const features = [...expectation.features, ...outcomes.moment];
    const subject = subjectOf(operation, variant);
    this.#tally.undecided.add({ subject, features, exchange: exchange.id, at: this.#time(call).at });
  }

  #expectationOf(call: Call): Expectation {
    const expectation = expectationOf(call, this.#sink.header, this.#objects);
    if (expectation.kind !== 'due') return expectation;
    const { features } = expectation;
    if (this.#tally.isPermitted(call.exchange.id)) return { kind: 'open', why: 'choice', features };
    return call.permittedRefusal === null ? expectation : { kind: 'open', why: 'dialect', features };
  }

  #countRefusal(
    call: Call,
    expectation: Extract<Expectation, { readonly kind: 'due' }>,
    outcomes: MomentOutcomes,
  ): void {
    const { operation, variant, exchange } = call;
    if (variant === null) return;
    const { features, assumes, names } = expectation;
    outcomes.refused += 1;
    const subject = subjectOf(operation, variant);
    const isForbidden = call.responseClass === 'refused';
    const refusal = { exchange: exchange.id, at: this.#time(call).at, isForbidden };
    const kind = this.#tally.refusedKinds.add(
      { subject, features: [...features, ...outcomes.moment].toSorted(), assumes },
      refusal,
    );
    if (kind === null) return;
    if (isForbidden) this.#tally.revokedKeys.deny(call, this.#inFlight(call), kind);
    const ids = [...Object.values(call.path), ...call.query.values(), ...names];
    const { id, ended } = exchange;
    if (ids.length > 0) this.#pendingRefusals.set(id, { kind, refusal, ended, ids, outcomes });
  }

  #inFlight(call: Call): number {
    return numberOf(call.exchange.id) - this.#before - 1 - call.exchange.after;
  }

  #sentAt(call: Call): Omit<AcceptedTime, 'subject'> {
    const after = this.#before + call.exchange.after;
    return { after, at: this.#time(call).at, inFlight: this.#inFlight(call) };
  }

  #outcomesOf(fingerprint: string, call: Call): MomentOutcomes {
    return this.#tally.sent.tally(fingerprint, this.#inFlight(call), this.#time(call));
  }

  #time({ exchange: { id, ended } }: Call): Timed<string> {
    return { at: this.#before + ended, by: numberOf(id), value: id };
  }

  /** Withdraws refusals of requests during which `by` may have changed their objects: the change may explain them. */
  #withdraw(changed: readonly string[], by: Exchange): void {
    if (this.#pendingRefusals.size === 0) return;
    for (const [exchange, { kind, refusal, ended, ids, outcomes }] of [...this.#pendingRefusals.entries()]) {
      if (exchange === by.id || !ids.some((id) => changed.includes(id)) || by.after >= ended) continue;
      this.#tally.refusedKinds.withdraw(kind, refusal);
      this.#tally.revokedKeys.withdraw(exchange);
      outcomes.refused -= 1;
      this.#pendingRefusals.delete(exchange);
    }
  }
}

/** Null if the response shows neither, such as a 429 or a 2xx without the JSON that the operation returns. */
function outcomeOf(call: Call): 'accepted' | 'refused' | null {
  switch (call.responseClass) {
    case 'accepted':
      return isCarriedOut(call) ? 'accepted' : null;
    case 'rejected':
    case 'absent':
    case 'refused':
      return undecidedReason(call) === null ? 'refused' : null;
    default:
      return null;
  }
}

/** Drops the requests that a breakdown explains, except for operations that have no other unanswered request. */
function withoutBreakdowns(
  unanswered: readonly UnansweredRequest[],
  breakdowns: readonly Breakdown[],
): readonly UnansweredRequest[] {
  const explained = new Set(breakdowns.flatMap(({ exchanges }) => exchanges));
  const unexplained = unanswered.filter(({ exchange }) => !explained.has(exchange));
  const subjects = new Set(unexplained.map(({ subject }) => subject));
  return unanswered.filter(({ subject, exchange }) => !subjects.has(subject) || !explained.has(exchange));
}

function acceptedControl(label: string): string {
  return `control ${label}`;
}

/** Whether the service itself is at fault: 429, a timeout or, for several choices, 503 may mean a lack of capacity. */
function isFaultOfService({ statuses, features }: Breakdown): boolean {
  const asksForSeveral = features.some((name) => name.startsWith('body.n>'));
  if (asksForSeveral && statuses.includes(503)) return false;
  return statuses.every((status) => status !== null && status >= 500);
}

function breakdownViolation({
  subject,
  features,
  statuses,
  exchanges,
  with: share,
  without,
}: Breakdown): Violation {
  return {
    // The place differs from that of a refusal, so that a baseline can tell the two apart.
    at: `5xx for requests with ${features.join(' and ')}`,
    expected: EXPECTED_ANSWER,
    actual: `answers ${statuses.join(' or ')} to ${features.join(' with ')}: ${share.failed} of ${share.total} requests with it, ${without.failed} of ${without.total} without`,
    exchange: exchanges[0] ?? '',
    causeId: causeId(subject, features.join('&')),
  };
}

function refusalViolation(diagnosis: Diagnosis, operation: DiagnosedOperation): Violation {
  const { kind, features, feature } = diagnosis;
  const requests = kind === 'features' ? `requests with ${features.join(' and ')}` : `requests (${feature})`;
  return {
    // The place differs, so that a baseline that accepts the refusal does not also accept the closed connection.
    at: diagnosis.closes === true ? `connection closed on ${requests}` : requests,
    expected: EXPECTED_ANSWER,
    actual: `${refusalVerb(diagnosis)} ${refusalText(diagnosis, operation)}`,
    exchange: operation.exchanges[0] ?? '',
    causeId: causeId(operation.subject, feature),
    ...(diagnosis.closes === true && { closes: true }),
  };
}

function refusalText({ kind, features }: Diagnosis, { with: share, without }: DiagnosedOperation): string {
  const counts = `${share.refused} of ${share.total}`;
  switch (kind) {
    case 'features':
      return `${features.join(' with ')}: ${counts} requests with it, ${without.refused} of ${without.total} without`;
    case 'everything':
      return `every request: ${counts}`;
    case 'inconsistent':
      return `equal requests at random: ${counts}`;
    case 'unexplained':
      return `requests for no apparent reason: ${counts} such requests`;
    default:
      return kind satisfies never;
  }
}

export function acceptanceRequirements(): RequirementSet {
  return {
    origin: 'acceptance',
    requirements: subjects()
      .filter(({ operation }) => !Object.hasOwn(REFUSABLE_OPERATIONS, operation.id))
      .map(requirementOf),
    open: (sink) => new AcceptanceEvaluator(sink),
  };
}

export function acceptanceExclusions(): readonly Exclusion[] {
  return subjects().flatMap((subject) => {
    const reason = REFUSABLE_OPERATIONS[subject.operation.id];
    if (reason === undefined) return [];
    const { id, spec, says } = requirementOf(subject);
    return [{ id, spec, says, reason }];
  });
}

function requirementOf({ operation, variant, subject }: Subject): Requirement {
  return {
    id: acceptanceRequirementId(subject),
    kind: 'accepted',
    families: [variant.family],
    operations: [operation.id],
    level: 'MUST',
    basis: 'implied',
    spec: operation.spec,
    says: `${subject} accepts every request that satisfies the specification.`,
  };
}
