import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { assumptions } from '../../judge/acceptance/assumptions.ts';
import { fileIdsIn } from '../../judge/acceptance/attached-files.ts';
import { expectationOf } from '../../judge/acceptance/expectation.ts';
import { KnownObjects } from '../../judge/acceptance/known-objects.ts';
import { isFromClient } from '../../judge/client/client-side.ts';
import {
  clientConstraints,
  clientRequirementId,
  type MessagePart,
  messagePartsOf,
  messageRequirementId,
} from '../../judge/client/request-evaluator.ts';
import { SelectorDispatch } from '../../judge/evidence/selector-dispatch.ts';
import { probeRequirementId, type RequestConstraint, subjectOf } from '../../judge/probe/constraints.ts';
import { isCancellation } from '../../judge/probe/probe-outcomes.ts';
import { holdsFor, violationsOf } from '../../judge/probe/request-violations.ts';
import type { RequirementSet } from '../../judge/requirements/catalogue.ts';
import { acceptanceRequirementId } from '../../judge/requirements/refusals.ts';
import {
  type BehaviourRequirement,
  type Evidence,
  isJudgedHere,
} from '../../judge/requirements/requirement.ts';
import { conditionalRuleIn } from '../../judge/schema/sentence.ts';
import { Call } from '../../judge/trace/call.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { operations } from '../../schemas/index.ts';
import { withJsonResponse } from '../mutations/exchanges.ts';
import {
  withoutLabel,
  withRequestBody,
  withRequestHeader,
  withRequestJson,
  withRequestQuery,
} from '../mutations/requests.ts';
import { setValue } from '../mutations/values.ts';
import type { BaselineTrace, Mutant } from './mutant.ts';
import { mutationKindsOfProbes, mutationKindsOfResponse } from './mutation-kinds.ts';
import { schemaMutants } from './schema-mutants.ts';

export function mutantsOf(set: RequirementSet, baseline: BaselineTrace): Iterable<Mutant> {
  switch (set.origin) {
    case 'schema':
      return schemaMutants(baseline);
    case 'probe':
      return probeMutants(baseline);
    case 'acceptance':
      return acceptanceMutants(baseline);
    case 'request':
      return requestMutants(baseline);
    case 'behaviour':
      return (set.behaviours ?? [])
        .filter(({ id }) => baseline.proved.has(id))
        .flatMap((requirement) => [...behaviourMutants(requirement, baseline)]);
  }
}

/** Kinds of mutation that violate a requirement of a set. A mutant of each kind must be killed. */
export function mutationKindsOf({ origin, behaviours = [] }: RequirementSet, id: string): readonly string[] {
  switch (origin) {
    case 'schema':
      return mutationKindsOfResponse(id);
    case 'probe':
      return mutationKindsOfProbes().get(id) ?? [];
    case 'acceptance':
      return ['refused'];
    case 'request':
      return mutationKindsOfRequest(id);
    case 'behaviour':
      return Object.keys(behaviours.find((one) => one.id === id)?.mutations ?? {});
  }
}

/** Maximum number of requests that are mutated for each requirement on requests. */
const MAX_REQUESTS = 3;
/** Number of pieces of evidence to mutate first; the whole trace is mutated only if the mutant survives on these. */
const SAMPLE_SIZE = 20;

function* behaviourMutants(
  requirement: BehaviourRequirement<Evidence>,
  baseline: BaselineTrace,
): Generator<Mutant> {
  const { id: rule, selector, mutations } = requirement;
  const calls = baseline.calls(selector.operations);
  const whole = selector.downloads ? withDownloads(calls, baseline) : calls.map(({ exchange }) => exchange);
  const part = selector.downloads ? null : sampleOf(requirement, calls);
  for (const [name, edit] of Object.entries(mutations)) {
    if (part === null) yield { requirement: rule, kind: name, name, exchanges: edit(whole) };
    else yield { requirement: rule, kind: name, name, exchanges: edit(part), longer: () => edit(whole) };
  }
}

/**
 * Exchanges behind some of the evidence, in order. Null if there is little evidence, or if the requirement fails on
 * the unchanged sample because it depends on omitted exchanges.
 */
function sampleOf(
  requirement: BehaviourRequirement<Evidence>,
  calls: readonly Call[],
): readonly Exchange[] | null {
  const evidence = evidenceIn(requirement, calls);
  if (evidence.length <= SAMPLE_SIZE) return null;
  const step = evidence.length / SAMPLE_SIZE;
  const chosen = Array.from({ length: SAMPLE_SIZE }, (_, i) => evidence[Math.floor(i * step)]);
  const ids = new Set(chosen.flatMap((one) => one?.exchanges.map(({ id }) => id) ?? []));
  const part = calls.filter(({ exchange }) => ids.has(exchange.id));
  const isBroken = evidenceIn(requirement, part).some((one) => requirement.check(one).length > 0);
  return isBroken ? null : part.map(({ exchange }) => exchange);
}

function withDownloads(calls: readonly Call[], { exchanges, header }: BaselineTrace): readonly Exchange[] {
  const others = exchanges.filter((exchange) => Call.from(exchange, header.betaHeader) === null);
  return [...calls.map(({ exchange }) => exchange), ...others].sort((a, b) => a.ended - b.ended);
}

function evidenceIn(
  { selector }: BehaviourRequirement<Evidence>,
  calls: readonly Call[],
): readonly Evidence[] {
  const found: Evidence[] = [];
  const dispatch = new SelectorDispatch([
    { selector, receive: (evidence) => found.push(evidence), fail: () => {} },
  ]);
  for (const call of calls) dispatch.call(call);
  dispatch.finish();
  return found.filter(isJudgedHere);
}

/** Mutants in which a valid probe is rejected or a violation is accepted. */
function* probeMutants(baseline: BaselineTrace): Generator<Mutant> {
  const calls = baseline
    .calls(operations().map(({ id }) => id))
    .filter(({ exchange }) => exchange.probe !== null);
  const controls = new Map(calls.map(({ exchange }) => [exchange.probe?.id, exchange]));
  const counts = new Map<string, number>();
  for (const call of calls) {
    const { probe } = call.exchange;
    if (probe === null || call.variant === null) continue;
    const subject = subjectOf(call.operation, call.variant);
    const rule = probeRequirementId({ subject, ...probe }, probe.side === 'valid' ? 'accepted' : 'rejected');
    if (rule === null || !baseline.proved.has(rule)) continue;
    const n = (counts.get(rule) ?? 0) + 1;
    counts.set(rule, n);
    if (n > MAX_REQUESTS) continue;
    if (call.exchange.probe?.side === 'valid') yield* refusedMutants(rule, n, call);
    else yield* acceptedMutants(rule, n, call, controls);
  }
}

/** A valid probe answered with 4xx, and with 500. A cancellation may come too late, so only 405 counts as its rejection. */
function* refusedMutants(rule: string, n: number, { exchange, operation }: Call): Generator<Mutant> {
  const statuses = { refused: isCancellation(operation) ? 405 : 400, failed: 500 };
  for (const [kind, status] of Object.entries(statuses)) {
    const exchanges = [withJsonResponse(exchange, status, ERROR_BODY)];
    yield { requirement: rule, kind, name: `${kind}, probe ${n}`, exchanges };
  }
}

function* acceptedMutants(
  rule: string,
  n: number,
  call: Call,
  controls: ReadonlyMap<string | undefined, Exchange>,
): Generator<Mutant> {
  const { exchange, responseClass: outcome } = call;
  const control = controls.get(exchange.probe?.control ?? '');
  if (control === undefined || outcome === 'accepted') return;
  // A target that ignores the violation responds as it does to the valid request.
  const faked: Exchange = { ...exchange, response: control.response, end: control.end };
  yield { requirement: rule, kind: 'accepted', name: `accepted, probe ${n}`, exchanges: [control, faked] };
  const unlabelled: Exchange = { ...faked, probe: null };
  if (!violationsOf(call).some(({ id }) => id === rule)) return;
  yield {
    requirement: rule,
    kind: 'accepted without a label',
    name: `accepted without a label, probe ${n}`,
    exchanges: [unlabelled],
  };
}

const ERROR_BODY: Json = { error: { message: 'no' } };

/** Maximum number of features per operation for which requests are refused. */
const MAX_FEATURES = 6;

interface DueRequest {
  readonly call: Call;
  readonly features: readonly string[];
  readonly assumes: readonly string[];
  readonly names: readonly string[];
}

/** Mutants in which one valid request of each operation is refused, or all requests with a certain feature. */
function* acceptanceMutants(baseline: BaselineTrace): Generator<Mutant> {
  const calls = baseline.calls(operations().map(({ id }) => id));
  const proofs = callsByAssumption(calls);
  for (const [subject, due] of dueRequests(baseline, calls)) {
    const requirement = acceptanceRequirementId(subject);
    if (!baseline.proved.has(requirement)) continue;
    const provable = due.filter((one) => new Refusals([one], proofs).areProven());
    for (const { name, refused } of refusalPlans(due, provable)) {
      const refusal = new Refusals(refused, proofs);
      if (refusal.areProven())
        yield { requirement, kind: 'refused', name, exchanges: refusal.in(calls, due) };
    }
  }
}

/** A mutation that refuses some requests. `proofs`: by assumption, the calls that show that it holds. */
class Refusals {
  readonly #refused: readonly DueRequest[];
  readonly #proofs: ReadonlyMap<string, readonly Call[]>;
  readonly #ids: ReadonlySet<string>;

  constructor(refused: readonly DueRequest[], proofs: ReadonlyMap<string, readonly Call[]>) {
    this.#refused = refused;
    this.#proofs = proofs;
    this.#ids = new Set(refused.map(({ call }) => call.exchange.id));
  }

  #proofOf(assumption: string): Call | undefined {
    return this.#proofs.get(assumption)?.find(({ exchange }) => !this.#ids.has(exchange.id));
  }

  /** Whether other calls show everything that at least one of the refused requests assumes. */
  areProven(): boolean {
    return this.#refused.some(({ assumes }) => assumes.every((one) => this.#proofOf(one) !== undefined));
  }

  /** The due requests, some of them refused, the proofs, and all calls that mention an object of a refused request or proof. */
  in(calls: readonly Call[], due: readonly DueRequest[]): readonly Exchange[] {
    const objects = new Set(
      this.#refused.flatMap(({ call, names }) => [...Object.values(call.path), ...names]),
    );
    const kept = new Set(due.map(({ call }) => call));
    for (const one of this.#refused.flatMap(({ assumes }) => assumes)) {
      const proof = this.#proofOf(one);
      if (proof === undefined) continue;
      kept.add(proof);
      // Keeps the uploads too, because they contain the files of the proof.
      for (const id of fileIdsIn(proof.requestJson)) objects.add(id);
    }
    return calls
      .filter((call) => kept.has(call) || [...objects].some((id) => mentions(call, id)))
      .map(({ exchange }) =>
        this.#ids.has(exchange.id) ? withJsonResponse(exchange, 400, ERROR_BODY) : exchange,
      );
  }
}

function dueRequests(
  { header }: BaselineTrace,
  calls: readonly Call[],
): ReadonlyMap<string, readonly DueRequest[]> {
  const objects = new KnownObjects();
  const found = new Map<string, DueRequest[]>();
  for (const call of calls) {
    const expectation = expectationOf(call, header, objects);
    const { variant } = call;
    if (expectation.kind === 'due' && variant !== null && call.responseClass === 'accepted') {
      const subject = subjectOf(call.operation, variant);
      const { features, assumes, names } = expectation;
      getOrMake(found, subject, () => []).push({ call, features, assumes, names });
    }
    objects.call(call);
  }
  return found;
}

function callsByAssumption(calls: readonly Call[]): ReadonlyMap<string, readonly Call[]> {
  const found = new Map<string, Call[]>();
  const objects = new KnownObjects();
  for (const call of calls) {
    const shown = call.responseClass === 'accepted' ? (assumptions(call, objects) ?? []) : [];
    for (const one of shown) found.set(one, [...(found.get(one) ?? []).slice(-200), call]);
    objects.call(call);
  }
  return found;
}

function* refusalPlans(
  due: readonly DueRequest[],
  provable: readonly DueRequest[],
): Generator<{ name: string; refused: readonly DueRequest[] }> {
  for (const one of provable.slice(0, 1)) yield { name: 'refuses one request', refused: [one] };
  const counts = new Map<string, number>();
  for (const { features } of due)
    for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const partial = [...counts].filter(([, count]) => count < due.length).toSorted(([, a], [, b]) => a - b);
  for (const [feature] of partial.slice(0, MAX_FEATURES))
    yield {
      name: `refuses ${feature}`,
      refused: due.filter(({ features }) => features.includes(feature)),
    };
}

function mentions({ exchange: { request, response } }: Call, id: string): boolean {
  return (
    request.target.includes(id) ||
    request.body.text?.includes(id) === true ||
    response?.body.text?.includes(id) === true
  );
}

const VIOLATED = 'violated';

type MessageMutation = (exchange: Exchange, betaHeader: string) => Exchange;

const MESSAGE_MUTATIONS: Readonly<Record<MessagePart, Readonly<Record<string, MessageMutation>>>> = {
  // The header is missing, or names a version that does not exist.
  'header.beta#value': {
    'no label': (exchange, header) => withRequestHeader(exchange, header, null),
    'wrong label': (exchange, header) => withRequestHeader(exchange, header, 'assistants=v0'),
  },
  // The content stays valid; only its media type is wrong.
  'body#contentType': {
    'no label': (exchange) => withRequestHeader(exchange, 'content-type', null),
    'wrong label': (exchange) => withRequestHeader(exchange, 'content-type', 'text/plain'),
  },
  'body#required': { missing: (exchange) => withRequestBody(exchange, '') },
  'body#readable': { unreadable: (exchange) => withRequestBody(exchange, '{"half": ') },
};

function mutationKindsOfRequest(id: string): readonly string[] {
  const found = Object.entries(MESSAGE_MUTATIONS).find(([part]) => id.endsWith(`:${part}`));
  return found === undefined ? [VIOLATED] : Object.keys(found[1]);
}

/**
 * Requests that violate each constraint, and mutations of each part of the message. A violating probe of the suite
 * violates one constraint; without its label, it is a client's mistake.
 */
function* requestMutants(baseline: BaselineTrace): Generator<Mutant> {
  const calls = baseline.calls(operations().map(({ id }) => id));
  const violations = violationsIn(calls);
  for (const constraint of clientConstraints()) {
    const requirement = clientRequirementId(constraint);
    if (!baseline.proved.has(requirement)) continue;
    const found = violations.get(requirement)?.slice(0, MAX_REQUESTS) ?? [];
    const broken =
      found.length > 0
        ? found
        : [...requestsBeyondLimit(constraint, calls), ...requestsAgainstRule(constraint, calls)];
    for (const [n, exchange] of broken.entries())
      yield { requirement, kind: VIOLATED, name: `violated ${n + 1}`, exchanges: [exchange] };
  }
  for (const { id } of operations()) yield* messageMutants(baseline.calls([id]), baseline);
}

function violationsIn(calls: readonly Call[]): ReadonlyMap<string, readonly Exchange[]> {
  const found = new Map<string, Exchange[]>();
  for (const { exchange, operation, variant } of calls) {
    const { probe } = exchange;
    if (probe?.side !== 'violation' || variant === null) continue;
    const id = clientRequirementId({ ...probe, subject: subjectOf(operation, variant) });
    found.set(id, [...(found.get(id) ?? []), withoutLabel(exchange)]);
  }
  return found;
}

function requestsBeyondLimit(constraint: RequestConstraint, calls: readonly Call[]): readonly Exchange[] {
  const { carrier, keyword, pointer, value } = constraint;
  if (carrier !== 'query' || typeof value !== 'number') return [];
  const name = pointer.slice('query.'.length);
  const wrong = keyword === 'minimum' ? value - 1 : value + 1;
  const call = calls.find(
    (one) =>
      one.variant !== null &&
      subjectOf(one.operation, one.variant) === constraint.subject &&
      one.query.has(name) &&
      isFromClient(one.exchange),
  );
  return call === undefined ? [] : [withRequestQuery(call.exchange, name, String(wrong))];
}

const TRIED_VALUES: readonly Json[] = [true, false, 'odd', 1];

function requestsAgainstRule(
  { subject, carrier, value }: RequestConstraint,
  calls: readonly Call[],
): readonly Exchange[] {
  const rule = conditionalRuleIn(value);
  const fields = Object.keys(rule?.demand['properties'] ?? {});
  if (rule === null || carrier !== 'json') return [];
  for (const { exchange, operation, variant, requestJson } of calls) {
    const isOwn = variant !== null && subjectOf(operation, variant) === subject;
    if (!isOwn || !isFromClient(exchange) || requestJson === undefined) continue;
    const bodies = fields.flatMap((name) =>
      TRIED_VALUES.map((odd) => setValue(`/${name}`, odd)(requestJson)),
    );
    const broken = bodies.filter((body) => holdsFor(rule.condition, body) && !holdsFor(rule.demand, body));
    if (broken.length > 0) return broken.map((body) => withRequestJson(exchange, () => body));
  }
  return [];
}

function* messageMutants(calls: readonly Call[], { header, proved }: BaselineTrace): Generator<Mutant> {
  const own = calls.filter(({ exchange }) => isFromClient(exchange));
  for (const part of own[0] === undefined ? [] : messagePartsOf(own[0].operation)) {
    const call = own.find(({ exchange }) => part === 'header.beta#value' || exchange.request.body.size > 0);
    const requirement = messageRequirementId(own[0]?.operation.id ?? '', part);
    if (call === undefined || !proved.has(requirement)) continue;
    for (const [kind, change] of Object.entries(MESSAGE_MUTATIONS[part])) {
      const exchanges = [change(call.exchange, header.betaHeader)];
      yield { requirement, kind, name: `${part} ${kind}`, exchanges };
    }
  }
}
