import type { Exchange, Probe } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { Obstacle } from '../../exchange/note.ts';
import { operation } from '../../schemas/index.ts';
import type { Requirement, RequirementSet } from '../requirements/catalogue.ts';
import type { Evaluator, ResultSink } from '../requirements/evaluator.ts';
import type { Violation } from '../requirements/requirement.ts';
import { LIMIT_KEYWORDS } from '../schema/constraints.ts';
import type { Call } from '../trace/call.ts';
import { mayStayUnread } from '../trace/closed-connection.ts';
import { textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import { exceedsContext, undecidedReason } from '../trace/undecided-reason.ts';
import { quoteBeginning } from '../verdict/findings.ts';
import { NO_ANSWER } from '../verdict/verdict.ts';
import { ClosedProbes } from './closed-probes.ts';
import { type Control, Controls, controlOf } from './controls.ts';
import { isCarriedOut, isRefusedCancellation, isRejection } from './probe-outcomes.ts';
import { probeSentence } from './probe-sentence.ts';
import {
  isUnmarked,
  type ProbeSide,
  probedSides,
  probeRequirementId,
  type RequestConstraint,
  subjectOf,
} from './request-constraints.ts';
import { bodyInspector, violationsOf } from './request-violations.ts';

/** The rejection of a probe with a control counts only if the control is accepted. */
class ProbeEvaluator implements Evaluator {
  readonly #sink: ResultSink;
  readonly #controls = new Controls();
  readonly #carriedOut = new LruMap<true>();
  readonly #acceptedConstraints = new Set<string>();
  readonly #notAcceptedWithBase = new Map<
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
    if (probe === null) this.#judgeUnlabelled(call);
    else if (probe.side === 'valid') this.#judgeValid(call, probe);
    else this.#judgeViolation(call, probe);
  }

  context(call: Call): void {
    const { probe } = call.exchange;
    const isAccepted = probe?.side !== 'violation' && isCarriedOut(call);
    if (isAccepted)
      for (const key of [subjectIn(call), subjectWithModel(call)]) this.#carriedOut.set(key, true);
    if (probe?.side !== 'valid') return;
    this.#controls.learn(probe.id, controlOf(call));
    const id = isAccepted ? probedRequirement(call, 'accepted') : null;
    if (id !== null) this.#acceptedConstraints.add(`${id} ${probe.control}`);
  }

  finish(): void {
    for (const { id, call, probe } of this.#failed.values()) this.#judgeNotAccepted(id, call, probe);
    for (const { call, hasClosedAgain } of this.#closed.unsettled) {
      const { probe } = call.exchange;
      const id = probedRequirement(call, probe?.side === 'violation' ? 'rejected' : 'accepted');
      if (id === null || probe === null) continue;
      if (hasClosedAgain) this.#judgeClosedEachTime(id, call, probe);
      else this.#reportInconclusive(id, call, 'capacity');
    }
    this.#controls.finish();
    for (const [id, { call, probe, base }] of this.#notAcceptedWithBase) {
      // The field is at fault if another value was accepted with this base or, for missing fields, a fuller request.
      const isFieldAtFault =
        probe.keyword === 'required'
          ? this.#areFieldsAtFault(call)
          : this.#acceptedConstraints.has(`${id} ${probe.control}`);
      if (isFieldAtFault) this.#reportFailure(id, call, probe, 'a 2xx answer');
      else this.#sink.block(id, base.exchange, base.obstacle);
    }
  }

  /** Without a model or file, nothing but the lack of fields explains a rejection. */
  #areFieldsAtFault(call: Call): boolean {
    const key = subjectWithModel(call);
    const hasNoModelOrFile = key === subjectIn(call) && call.variant?.body?.carrier !== 'multipart';
    return this.#carriedOut.get(key) === true || (hasNoModelOrFile && call.responseClass === 'rejected');
  }

  #judgeValid(call: Call, probe: Probe): void {
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
    else if (outcome === 'accepted') this.#sink.block(id, exchange.id, createObstacle(call, 'unreadable'));
    else if (outcome === 'refused') this.#sink.block(id, exchange.id, createObstacle(call, 'answered'));
    else if (isRefusedCancellation(call)) this.#sink.block(id, exchange.id, createObstacle(call, 'late'));
    else if (outcome === 'capacity') this.#reportInconclusive(id, call, 'capacity');
    else if (outcome === 'unanswered') this.#judgeUnanswered(id, call);
    // The request was refused for its length, which says nothing about the limit of a field.
    else if (exceedsContext(call)) this.#sink.block(id, exchange.id, createObstacle(call, 'context'));
    else if (undecided !== null && !isTooLarge) this.#reportInconclusive(id, call, undecided);
    // The request may be sent again, so the verdict waits.
    else if (outcome === 'failed') this.#failed.set(probe.id, { id, call, probe });
    else this.#judgeNotAccepted(id, call, probe);
  }

  #judgeNotAccepted(id: string, call: Call, probe: Probe): void {
    this.#controls.whenKnown(probe.control, (base) => {
      if (base === null || base.isAccepted) this.#reportFailure(id, call, probe, 'a 2xx answer');
      // Whether the target accepts other requests is known only at the end of the trace.
      else if (!this.#notAcceptedWithBase.has(id)) this.#notAcceptedWithBase.set(id, { call, probe, base });
    });
  }

  /** Server errors and capacity limits are inconclusive: they may have another cause. */
  #judgeViolation(call: Call, probe: Probe): void {
    const id = probedRequirement(call, 'rejected');
    if (id === null) return;
    const { exchange, responseClass: outcome } = call;
    const control = this.#controls.get(probe.control);
    if (outcome === 'accepted') this.#reportFailure(id, call, probe, 'a rejection');
    else if (control?.isAccepted === false && control.obstacle.kind === 'base')
      this.#sink.block(id, control.exchange, control.obstacle);
    else if (outcome === 'failed') this.#reportInconclusive(id, call, 'target-error');
    else if (outcome === 'capacity') this.#reportInconclusive(id, call, 'capacity');
    else if (outcome === 'unanswered') this.#judgeUnanswered(id, call);
    else if (outcome === 'refused') this.#sink.block(id, exchange.id, createObstacle(call, 'answered'));
    else if (!isRejection(call)) this.#sink.block(id, exchange.id, createObstacle(call, 'undecided'));
    else this.#judgeRejected(id, exchange, probe);
  }

  #judgeRejected(id: string, exchange: Exchange, probe: Probe): void {
    if (probe.control === null) {
      this.#sink.observe(id, 1, [exchange]);
      return;
    }
    this.#controls.whenKnown(probe.control, (control) => {
      if (control === null) return;
      if (control.isAccepted) this.#sink.observe(id, 1, [{ id: control.exchange }, exchange]);
      else this.#sink.block(id, control.exchange, control.obstacle);
    });
  }

  #judgeUnlabelled(call: Call): void {
    if (call.responseClass !== 'accepted') return;
    const violations = violationsOf(call);
    const relevant = this.#sink.recordVocabulary?.(call, violations, 'server') ?? violations;
    for (const { id, at, expected, actual } of relevant) {
      if (!probedSides().has(id)) continue;
      this.#sink.observe(id, 1, [call.exchange]);
      const place = `request ${at === '' ? 'body' : at}`;
      this.#sink.report(id, { at: place, expected: `a rejection: it is not ${expected}`, actual }, [
        call.exchange,
      ]);
    }
  }

  #reportFailure(id: string, { exchange }: Call, { pointer, keyword }: Probe, expected: string): void {
    this.#sink.observe(id, 1, [exchange]);
    const at = `answer to ${pointer} (${keyword})`;
    this.#sink.report(id, { at, expected, actual: answerOf(exchange) }, [exchange]);
  }

  #reportInconclusive(
    id: string,
    { exchange }: Call,
    inconclusive: NonNullable<Violation['inconclusive']>,
  ): void {
    const expected = 'a conclusive answer';
    this.#sink.report(id, { at: 'answer', expected, actual: answerOf(exchange), inconclusive }, [exchange]);
  }

  #judgeClosedEachTime(id: string, call: Call, probe: Probe): void {
    if (probe.side === 'valid') this.#judgeNotAccepted(id, call, probe);
    // A target need not read a body of forbidden length, and its refusal may be lost with the connection.
    else if (probe.keyword === 'maxBytes' && mayStayUnread(call.exchange.request, sizeLimitOf(id)))
      this.#judgeRejected(id, call.exchange, probe);
    else if (probe.control === null) this.#reportFailure(id, call, probe, 'a rejection');
    else
      this.#controls.whenKnown(probe.control, (control) => {
        if (control?.isAccepted !== false) this.#reportFailure(id, call, probe, 'a rejection');
        // The control was not accepted either, so the violation need not be what closes the connection.
        else this.#reportInconclusive(id, call, 'protocol');
      });
  }

  #judgeUnanswered(id: string, call: Call): void {
    const { probe, end } = call.exchange;
    if (end.how === 'upstream-timeout') this.#reportInconclusive(id, call, 'capacity');
    // The request may be sent again, so the verdict waits.
    if (end.how === 'upstream-reset' && probe !== null) this.#closed.add(probe.id, call);
  }
}

export function probedRequirement(
  { operation, variant, exchange: { probe } }: Call,
  side: ProbeSide,
): string | null {
  if (variant === null || probe === null) return null;
  const { pointer, keyword } = probe;
  const id = probeRequirementId({ subject: subjectOf(operation, variant), pointer, keyword }, side);
  return probedSides().has(id) ? id : null;
}

function sizeLimitOf(id: string): number | undefined {
  const limit = probedSides().get(id)?.constraint.value;
  return typeof limit === 'number' ? limit : undefined;
}

/** The operation and the model of a request, which together decide whether it can be carried out. */
function subjectWithModel(call: Call): string {
  const model = textAt(call.sentJson, 'model');
  return model !== undefined ? `${subjectIn(call)} ${model}` : subjectIn(call);
}

function subjectIn({ operation, variant }: Call): string {
  return variant === null ? operation.id : subjectOf(operation, variant);
}

function createObstacle(
  { operation: { method, path }, status }: Call,
  kind: 'answered' | 'unreadable' | 'late' | 'undecided' | 'context',
): Obstacle {
  return { kind, method, path, status };
}

function answerOf({ response }: Exchange): Json {
  if (response === null) return NO_ANSWER;
  const first = response.status < 300 ? eventsOf(response)?.events[0] : undefined;
  if (first === undefined) return response.status;
  return `${response.status}, then event ${quoteBeginning(first.data)}`;
}

export function probeRequirements(): RequirementSet {
  return {
    origin: 'probe',
    requirements: [...probedSides()].map(([id, { constraint, side }]) => requirementOf(id, constraint, side)),
    open: (sink) => new ProbeEvaluator(sink),
    prepare: () => bodyInspector().prepare(),
  };
}

function requirementOf(id: string, constraint: RequestConstraint, side: ProbeSide): Requirement {
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
