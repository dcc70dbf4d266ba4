import type { Exchange, Probe } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import type { Obstacle } from '../../exchange/note.ts';
import { type Operation, operation } from '../../schemas/index.ts';
import type { Evaluator, Requirement, RequirementSet, ResultSink } from '../requirements/catalogue.ts';
import type { Violation } from '../requirements/requirement.ts';
import { LIMIT_KEYWORDS } from '../schema/constraints.ts';
import { expectedShape } from '../schema/response-evaluator.ts';
import { conditionalRuleIn, constraintPhrase } from '../schema/sentence.ts';
import {
  type Call,
  exceedsContext,
  isClosedAlone,
  mayStayUnread,
  type ResponseClass,
  undecidedReason,
} from '../trace/call.ts';
import { isObject, textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import { NO_ANSWER } from '../verdict/verdict.ts';
import {
  bodyInspector,
  demandsNull,
  isUnmarked,
  ownersBefore,
  type ProbeSide,
  probedSides,
  probeRequirementId,
  type RequestConstraint,
  subjectOf,
  violationsOf,
} from './constraints.ts';

/**
 * Judges responses to labelled probes, and 2xx responses to unlabelled requests that violate a schema. A rejection
 * counts only if the control, the same request without the violation, was accepted.
 */
class ProbeEvaluator implements Evaluator {
  readonly #sink: ResultSink;
  readonly #controls = new Controls();
  readonly #carriedOut = new LruMap<true>();
  readonly #kept = new Set<string>();
  readonly #refusedWithBase = new Map<
    string,
    { readonly call: Call; readonly probe: Probe; readonly base: Control }
  >();
  /** Valid probes on which the service failed, by label, until the same request is accepted. */
  readonly #failed = new LruMap<{ readonly id: string; readonly call: Call; readonly probe: Probe }>();
  readonly #closed = new ClosedProbes();

  constructor(sink: ResultSink) {
    this.#sink = sink;
  }

  call(call: Call): void {
    const { probe } = call.exchange;
    this.context(call);
    if (probe !== null && call.status !== null) this.#closed.settle(probe.id);
    if (probe === null) this.#unlabelled(call);
    else if (probe.side === 'valid') this.#valid(call, probe);
    else this.#violation(call, probe);
  }

  context(call: Call): void {
    const { probe } = call.exchange;
    const isCarried = probe?.side !== 'violation' && isCarriedOut(call);
    if (isCarried) for (const work of [subjectIn(call), workOf(call)]) this.#carriedOut.set(work, true);
    if (probe?.side !== 'valid') return;
    this.#controls.learn(probe.id, controlOf(call));
    const id = isCarried ? probedRequirement(call, 'accepted') : null;
    if (id !== null) this.#kept.add(`${id} ${probe.control}`);
  }

  /** Without a control, a violation is not evidence; without a base, a refused valid probe counts against the target. */
  finish(): void {
    for (const [, { id, call, probe }] of this.#failed.entries()) this.#refused(id, call, probe);
    for (const { call, isAgain } of this.#closed.open) {
      const { probe } = call.exchange;
      const id = probedRequirement(call, probe?.side === 'violation' ? 'rejected' : 'accepted');
      if (id === null || probe === null) continue;
      if (isAgain) this.#closedEachTime(id, call, probe);
      else this.#inconclusive(id, call, 'capacity');
    }
    this.#controls.finish();
    for (const [id, { call, probe, base }] of this.#refusedWithBase) {
      // If other requests are accepted, this one was refused because of its fields or value.
      const isBlamed =
        probe.keyword === 'required' ? this.#isFieldsAtFault(call) : this.#kept.has(`${id} ${probe.control}`);
      if (isBlamed) this.#object(id, call, probe, 'a 2xx answer');
      else this.#sink.block(id, base.exchange, base.obstacle);
    }
  }

  /**
   * Whether a request with only the required fields is refused for lack of others: a request with more fields is
   * accepted, or this one contains no model or file that could be wrong.
   */
  #isFieldsAtFault(call: Call): boolean {
    const hasNoModel = workOf(call) === subjectIn(call) && call.variant?.body?.carrier !== 'multipart';
    return this.#carriedOut.get(workOf(call)) === true || (hasNoModel && call.responseClass === 'rejected');
  }

  /** A valid probe must be accepted. Missing permissions and late cancellations block the requirement. */
  #valid(call: Call, probe: Probe): void {
    const id = probedRequirement(call, 'accepted');
    if (id === null) return;
    const { exchange, responseClass: outcome } = call;
    const undecided = undecidedReason(call);
    // A body at a stated limit must not be refused as too large.
    const isTooLarge = undecided === 'capacity' && LIMIT_KEYWORDS.has(probe.keyword);
    if (isCarriedOut(call)) {
      this.#sink.observe(id, 1, [exchange]);
      this.#failed.delete(probe.id);
    }
    // A 2xx with an unexpected body shows neither acceptance nor rejection.
    else if (outcome === 'accepted') this.#sink.block(id, exchange.id, obstacle(call, 'unreadable'));
    else if (outcome === 'refused') this.#sink.block(id, exchange.id, obstacle(call, 'answered'));
    else if (mayComeTooLate(call)) this.#sink.block(id, exchange.id, obstacle(call, 'late'));
    else if (outcome === 'capacity') this.#inconclusive(id, call, 'capacity');
    else if (outcome === 'unanswered') this.#unanswered(id, call);
    // The length of the request was refused, which says nothing about the limit of a field.
    else if (exceedsContext(call)) this.#sink.block(id, exchange.id, obstacle(call, 'context'));
    else if (undecided !== null && !isTooLarge) this.#inconclusive(id, call, undecided);
    // The request may be sent again, so the verdict waits.
    else if (outcome === 'failed') this.#failed.set(probe.id, { id, call, probe });
    else this.#refused(id, call, probe);
  }

  #refused(id: string, call: Call, probe: Probe): void {
    this.#controls.whenKnown(probe.control, (base) => {
      if (base === null || base.accepted) this.#object(id, call, probe, 'a 2xx answer');
      // Only the end of the trace shows whether the target accepts others.
      else if (!this.#refusedWithBase.has(id)) this.#refusedWithBase.set(id, { call, probe, base });
    });
  }

  /** A violation must be rejected. Server errors and capacity limits are inconclusive: they may have another cause. */
  #violation(call: Call, probe: Probe): void {
    const id = probedRequirement(call, 'rejected');
    if (id === null) return;
    const { exchange, responseClass: outcome } = call;
    const control = this.#controls.get(probe.control);
    if (outcome === 'accepted') this.#object(id, call, probe, 'a rejection');
    else if (control?.obstacle.kind === 'base') this.#sink.block(id, control.exchange, control.obstacle);
    else if (outcome === 'failed') this.#inconclusive(id, call, 'target-error');
    else if (outcome === 'capacity') this.#inconclusive(id, call, 'capacity');
    else if (outcome === 'unanswered') this.#unanswered(id, call);
    else if (outcome === 'refused') this.#sink.block(id, exchange.id, obstacle(call, 'answered'));
    else if (!isRejection(call)) this.#sink.block(id, exchange.id, obstacle(call, 'undecided'));
    else this.#rejected(id, exchange, probe);
  }

  #rejected(id: string, exchange: Exchange, probe: Probe): void {
    if (probe.control === null) {
      this.#sink.observe(id, 1, [exchange]);
      return;
    }
    this.#controls.whenKnown(probe.control, (control) => {
      if (control === null) return;
      if (control.accepted) this.#sink.observe(id, 1, [{ id: control.exchange }, exchange]);
      else this.#sink.block(id, control.exchange, control.obstacle);
    });
  }

  #unlabelled(call: Call): void {
    if (call.responseClass !== 'accepted') return;
    const violations = violationsOf(call);
    for (const { id, at, expected, actual } of this.#sink.remaining?.(call, violations, 'server') ??
      violations) {
      if (!probedSides().has(id)) continue;
      this.#sink.observe(id, 1, [call.exchange]);
      const place = `request ${at === '' ? 'body' : at}`;
      this.#sink.report(id, { at: place, expected: `a rejection: it is not ${expected}`, actual }, [
        call.exchange,
      ]);
    }
  }

  #object(id: string, { exchange }: Call, { pointer, keyword }: Probe, expected: string): void {
    this.#sink.observe(id, 1, [exchange]);
    const at = `answer to ${pointer} (${keyword})`;
    this.#sink.report(id, { at, expected, actual: answerOf(exchange) }, [exchange]);
  }

  #inconclusive(id: string, { exchange }: Call, inconclusive: NonNullable<Violation['inconclusive']>): void {
    const actual = answerOf(exchange);
    this.#sink.report(id, { at: 'answer', expected: 'a conclusive one', actual, inconclusive }, [exchange]);
  }

  /** Judges a request that never gets a response, because it crashes the service or its worker. */
  #closedEachTime(id: string, call: Call, probe: Probe): void {
    if (probe.side === 'valid') this.#refused(id, call, probe);
    // A target need not read a body of forbidden length, and its refusal may be lost with the connection.
    else if (probe.keyword === 'maxBytes' && mayStayUnread(call.exchange.request, sizeLimitOf(id)))
      this.#rejected(id, call.exchange, probe);
    else if (probe.control === null) this.#object(id, call, probe, 'a rejection');
    else
      this.#controls.whenKnown(probe.control, (control) => {
        if (control?.accepted !== false) this.#object(id, call, probe, 'a rejection');
        // The valid request may crash the service as well, in every run.
        else this.#inconclusive(id, call, 'protocol');
      });
  }

  #unanswered(id: string, call: Call): void {
    const { probe, end } = call.exchange;
    const { how } = end;
    if (how === 'upstream-timeout') this.#inconclusive(id, call, 'capacity');
    // The request may be sent again, so the verdict waits.
    if (how === 'upstream-reset' && probe !== null) this.#closed.add(probe.id, call);
  }
}

/** The requirement of this side that a labelled probe shows; null for none. */
export function probedRequirement(
  { operation, variant, exchange: { probe } }: Call,
  side: ProbeSide,
): string | null {
  if (variant === null || probe === null) return null;
  const { pointer, keyword } = probe;
  const id = probeRequirementId({ subject: subjectOf(operation, variant), pointer, keyword }, side);
  return probedSides().has(id) ? id : null;
}

/** The size in bytes that a file must stay below, by the requirement that a larger one is rejected. */
function sizeLimitOf(id: string): number | undefined {
  const limit = probedSides().get(id)?.constraint.value;
  return typeof limit === 'number' ? limit : undefined;
}

function workOf(call: Call): string {
  const { sentJson: asked } = call;
  const model = isObject(asked) ? asked['model'] : undefined;
  return typeof model === 'string' ? `${subjectIn(call)} ${model}` : subjectIn(call);
}

function subjectIn({ operation, variant }: Call): string {
  return variant === null ? operation.id : subjectOf(operation, variant);
}

function obstacle(
  { operation: { method, path }, status }: Call,
  kind: 'answered' | 'unreadable' | 'late' | 'undecided' | 'context',
): Obstacle {
  return { kind, method, path, status };
}

function answerOf({ response }: Exchange): Json {
  if (response === null) return NO_ANSWER;
  const first = response.status < 300 ? eventsOf(response)?.events[0] : undefined;
  return first === undefined ? response.status : `${response.status}, then event ${first.data.slice(0, 200)}`;
}

/** Two requirements for each constraint of a request: valid values are accepted, violations are rejected. */
export function probeRequirements(): RequirementSet {
  return {
    origin: 'probe',
    requirements: [...probedSides()].map(([id, { constraint, side }]) => ruleOf(id, constraint, side)),
    open: (sink) => new ProbeEvaluator(sink),
    prepare: () => bodyInspector().prepare(),
  };
}

function ruleOf(id: string, constraint: RequestConstraint, side: ProbeSide): Requirement {
  const variant = operation(constraint.operation).variants.find(({ name }) => name === constraint.variant);
  return {
    id,
    kind: side,
    families: variant === undefined ? [] : [variant.family],
    operations: [constraint.operation],
    level: side === 'rejected' && isUnmarked(constraint) ? 'SHOULD' : 'MUST',
    // The specification states constraints, not responses to violations: the rejection is implied.
    basis: side === 'rejected' || constraint.keyword === 'unknown' ? 'implied' : constraint.basis,
    spec: constraint.spec,
    says: probeSentence(constraint, side),
  };
}

/** Prefixes of pointers that sentences omit. */
const PLACES = ['body.', 'query.', 'path.', 'file.'];

/** The sentence is part of `suites/ledger.json`. */
export function probeSentence(constraint: RequestConstraint, side: ProbeSide): string {
  return `${constraint.subject} ${side === 'accepted' ? accepts(constraint) : rejects(constraint)}.`;
}

function accepts(constraint: RequestConstraint): string {
  const { keyword, pointer, value } = constraint;
  const place = placeOf(pointer);
  if (keyword === 'required') {
    return pointer === 'query' ? 'answers without query parameters' : 'accepts the required fields alone';
  }
  if (keyword === 'unknown') return `finds what a known ${place} names`;
  const rule = conditionalRuleIn(value);
  if (rule !== null) return `accepts requests that keep this: ${bare(rule.says)}`;
  if (keyword === 'enum') return `accepts as ${place} each of ${list(valuesSent(constraint))}`;
  if (keyword === 'type')
    return `accepts as ${place} ${constraintPhrase({ keyword, value: typesSent(constraint) })}`;
  if (keyword === 'const') return `accepts as ${place} ${constraintPhrase(constraint)}`;
  if (LIMIT_KEYWORDS.has(keyword)) return `accepts ${place} at its limit, ${constraintPhrase(constraint)}`;
  if (keyword in FILE_RULES) return `accepts ${place} that keeps ${fileRule(constraint)}`;
  return `accepts ${place} that is ${constraintPhrase(constraint)}`;
}

function valuesSent({ node, value }: RequestConstraint): unknown {
  const unshown = node.notes['x-unshown'];
  return Array.isArray(value) && Array.isArray(unshown)
    ? value.filter((one) => !unshown.includes(one))
    : value;
}

function typesSent({ node, value }: RequestConstraint): unknown {
  return demandsNull(node) || !Array.isArray(value) ? value : value.filter((type) => type !== 'null');
}

function rejects(constraint: RequestConstraint): string {
  const { keyword, pointer, value } = constraint;
  const place = placeOf(pointer);
  if (keyword === 'required') return `rejects a request without ${place}`;
  if (keyword === 'unknown') return `gives no 2xx for an unknown ${place}${elsewhere(constraint, place)}`;
  const rule = conditionalRuleIn(value);
  if (rule !== null) return `rejects requests that break this: ${bare(rule.says)}`;
  if (keyword === 'enum') return `rejects ${place} other than ${list(value)}`;
  if (LIMIT_KEYWORDS.has(keyword))
    return `rejects ${place} beyond its limit, ${constraintPhrase(constraint)}`;
  if (keyword in FILE_RULES) return `rejects ${place} that breaks ${fileRule(constraint)}`;
  return `rejects ${place} that is not ${constraintPhrase(constraint)}`;
}

function elsewhere({ operation }: RequestConstraint, place: string): string {
  const owner = ownersBefore(operation, place).at(-1);
  return owner === undefined
    ? ''
    : `, nor for one of another ${owner.replace(/_id$/, '').replaceAll('_', ' ')}`;
}

/** Phrases for the rules of `x-file`. */
const FILE_RULES: Readonly<Record<string, (value: unknown) => string>> = {
  formats: (value) => `the formats ${list(value)}`,
  maxBytes: (value) => `the size limit: under ${value} bytes`,
  square: () => 'the rule that it is square',
  transparentUnless: (value) => `the rule that it has transparency if ${value} is absent`,
  sameSizeAs: (value) => `the rule that it has the size of ${value}`,
};

function fileRule({ keyword, value }: RequestConstraint): string {
  return FILE_RULES[keyword]?.(value) ?? `${keyword} ${JSON.stringify(value)}`;
}

function placeOf(pointer: string): string {
  if (pointer === 'body') return 'a body';
  const carrier = PLACES.find((place) => pointer.startsWith(place)) ?? '';
  return pointer.slice(carrier.length);
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(', ') : String(value);
}

function bare(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

/** Keyword of base requests, which show no requirement by themselves. */
export const BASE_KEYWORD = 'base';
/** The label of the base request for probes whose labels begin with `name`. */
export function baseLabel(name: string): string {
  return `${name}.base`;
}

/** Pointers to members that name a model, an object, or the files of a fine-tuning job. */
const NAMES_OBJECT = /^body\.(?:model|training_file|validation_file|.*_id|.*_ids\[\])$/;

/**
 * Whether a labelled violation was refused because of its violation. The specification leaves the status open, but
 * 404 and 405 may also mean that the path is not served, unless the control of the violation was accepted there.
 */
export function isRejection({ responseClass: outcome, status, exchange: { probe } }: Call): boolean {
  if (outcome !== 'absent' || probe === null) return outcome === 'rejected';
  if (probe.control !== null) return status !== 501;
  return (probe.keyword === 'unknown' || NAMES_OBJECT.test(probe.pointer)) && status === 404;
}

/** Maximum length of a quoted error message, in characters. */
const QUOTED = 80;

/** The response to a valid request for comparison: the control of a violation, or the base of a valid probe. */
export interface Control {
  readonly exchange: string;
  readonly accepted: boolean;
  /** Whether the same request may get another response: it got none, or one that shows a limit or a failure of the service. */
  readonly mayChange: boolean;
  readonly obstacle: Obstacle;
  /** Label of the base of this request. */
  readonly base: string | null;
}

function controlOf(call: Call): Control {
  const { exchange, operation, status } = call;
  const accepted = isCarriedOut(call);
  const { method, path } = operation;
  const isBase = exchange.probe?.keyword === BASE_KEYWORD;
  const kindOf = () => {
    if (call.responseClass === 'accepted') return 'unreadable';
    if (exceedsContext(call)) return 'context';
    return mayComeTooLate(call) ? 'late' : 'control';
  };
  const obstacle: Obstacle = isBase
    ? { kind: 'base', method, path, status, said: errorText(call) }
    : { kind: kindOf(), method, path, status };
  const mayChange = PASSING.includes(call.responseClass);
  return { exchange: exchange.id, accepted, mayChange, obstacle, base: exchange.probe?.control ?? null };
}

const PASSING: readonly ResponseClass[] = ['unanswered', 'capacity', 'failed'];

/** Controls by label. Requests overlap, so a control may be answered after the probes that refer to it. */
class Controls {
  readonly #known = new LruMap<Control>();
  readonly #waiting = new LruMap<((control: Control | null) => void)[]>();

  /** The control with this label, or its base if that was refused too; null if there is no response yet. */
  get(label: string | null): Control | null {
    const control = (label === null ? null : this.#known.get(label)) ?? null;
    if (control === null || control.accepted || control.base === null) return control;
    const base = this.#known.get(control.base);
    return base === undefined || base.accepted ? control : base;
  }

  /** Adds the response to a possible control, and calls back those who wait for it, unless the request may be sent again. */
  learn(label: string, control: Control): void {
    const known = this.#known.get(label);
    if (control.mayChange && known !== undefined) return;
    this.#known.set(label, control);
    if (control.mayChange) return;
    for (const conclude of this.#waiting.get(label) ?? []) conclude(control);
    this.#waiting.delete(label);
  }

  /** Calls back once the response to the control is known, or with null at the end of the trace. */
  whenKnown(label: string | null, conclude: (control: Control | null) => void): void {
    const known = this.get(label);
    if (label === null || known?.mayChange === false) conclude(known);
    else this.#waiting.at(label, () => []).push(conclude);
  }

  finish(): void {
    for (const [label, waiting] of [...this.#waiting.entries()])
      for (const conclude of waiting) conclude(this.get(label));
    for (const [label] of [...this.#waiting.entries()]) this.#waiting.delete(label);
  }
}

function errorText({ exchange: { response } }: Call): string | null {
  const json = jsonContent(response);
  const error = textAt(json, 'error', 'code') ?? textAt(json, 'error', 'message');
  return error === undefined || error === '' ? null : error.slice(0, QUOTED);
}

/** Whether a 2xx has the expected form: an empty or other body does not show that the request was understood. */
export function isCarriedOut(call: Call): boolean {
  const { response } = call.exchange;
  if (call.responseClass !== 'accepted' || response === null) return false;
  const shape = expectedShape(call);
  if (shape?.events != null) return (eventsOf(response)?.events.length ?? 0) > 0;
  if (shape?.schema == null) return response.body.size > 0 || call.variant?.body === null;
  return typeof decodedContent(response)?.json?.value === 'object';
}

/**
 * Whether a cancellation was refused. Its object may have ended before, and 404 may mean that nothing is left to
 * cancel, so such a refusal is not a failure; 405 is one.
 */
function mayComeTooLate({ operation, responseClass: outcome, status }: Call): boolean {
  return isCancellation(operation) && (outcome === 'rejected' || status === 404);
}

export function isCancellation({ path }: Operation): boolean {
  return path.endsWith('/cancel');
}

export interface ClosedProbe {
  /** The last call of the probe. */
  readonly call: Call;
  /** Whether the connection had closed before, and closed again while no other request was in flight. */
  readonly isAgain: boolean;
}

/**
 * Probes whose connection closed without a response, by label, until the same request is answered. Closing once may be chance:
 * another request in flight may have crashed the service.
 */
export class ClosedProbes {
  readonly #probes = new LruMap<ClosedProbe>();

  /** Probes that are still without a response. */
  get open(): Iterable<ClosedProbe> {
    return this.#probes.values();
  }

  /** Receives a call whose connection closed. A larger upload under the label is another request. */
  add(label: string, call: Call): ClosedProbe {
    const before = this.#probes.get(label)?.call.exchange;
    const isAgain =
      before !== undefined && lengthOf(before) === lengthOf(call.exchange) && isClosedAlone(call.exchange);
    const closed = { call, isAgain };
    this.#probes.set(label, closed);
    return closed;
  }

  /** Forgets a probe, because it was answered. */
  settle(label: string): void {
    this.#probes.delete(label);
  }
}

function lengthOf({ request }: Exchange): string | null {
  return firstHeader(request.headers, 'content-length');
}
