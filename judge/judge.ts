import { hasChangedResponse, withTrustedMarks } from '../exchange/disturbed.ts';
import { DISCOVERY, type Exchange } from '../exchange/exchange.ts';
import { isTooLongToRead } from '../exchange/http/event-stream.ts';
import { isNote, type TraceHeader, type TraceItem } from '../exchange/trace.ts';
import { interpretAsSent, isFromClient } from './client/client-side.ts';
import { addCost, costOf } from './coverage/cost.ts';
import type { Dialect } from './dialects/dialect.ts';
import { SelectorDispatch } from './evidence/selector-dispatch.ts';
import { JudgedTraffic, type JudgementPart } from './judged-traffic.ts';
import type { TrafficCut } from './partial/traffic-plan.ts';
import type { Catalogue, Requirement } from './requirements/catalogue.ts';
import type { Evaluator } from './requirements/evaluator.ts';
import type { Violation } from './requirements/requirement.ts';
import { Call, type CallDialect } from './trace/call.ts';
import { outsideCallOf } from './trace/outside-call.ts';
import { numberOf } from './trace/timed.ts';
import type { Judgement } from './verdict/verdict.ts';
import { type Explainer, VerdictBuilder } from './verdict-builder.ts';

export interface JudgeOptions {
  readonly catalogue: Catalogue;
  /** Claims, filters, model roles and beta header of the run; also says whether responses were disturbed. */
  readonly header: TraceHeader;
  /** Default null: the specification without errata. */
  readonly dialect?: Dialect | null;
  readonly explainer: Explainer;
  /** The part of the traffic to judge, if other parts are judged elsewhere. Default null: all of it. */
  readonly cut?: TrafficCut | null;
  /** Number of exchanges before this traffic. Default: 0. */
  readonly before?: number;
  /** Calls that are already parsed, for callers that judge the same exchanges repeatedly. */
  readonly knownCalls?: ReadonlyMap<Exchange, Call>;
  /** Receives violations that are neither excused nor inconclusive, even those that no report keeps. */
  readonly onViolation?: (
    violation: Violation,
    requirement: Requirement,
    evidence: readonly Exchange[],
  ) => void;
}

/** Offset, in exchanges, of results at the end of a trace: after its last exchange and before the first of the next. */
const AT_THE_END = 0.5;

/** A timeout stays a timeout, because the content of the response did not cause it. */
function withoutResponse(exchange: Exchange): Exchange {
  const { end } = exchange;
  const isTimeout = end.how === 'upstream-timeout';
  return {
    ...exchange,
    response: null,
    end: isTimeout ? end : { ...end, how: 'recorder-killed', detail: null },
  };
}

function isDisturbedForClient(exchange: Exchange): boolean {
  return isFromClient(exchange) && hasChangedResponse(exchange);
}

/** Judges one trace, or several in a row, in bounded memory. */
export class TraceJudge {
  readonly #header: TraceHeader;
  readonly #explainer: Explainer;
  readonly #knownCalls: JudgeOptions['knownCalls'];
  readonly #cut: TrafficCut | null;
  readonly #traffic: JudgedTraffic;
  #evaluators: readonly Evaluator[] = [];
  #before: number;
  #last: number;

  constructor(options: JudgeOptions) {
    const { header, dialect = null, cut = null, before = 0, explainer, knownCalls } = options;
    this.#header = header;
    this.#explainer = explainer;
    this.#knownCalls = knownCalls;
    this.#cut = cut;
    this.#before = before;
    this.#last = before;
    const permit = (exchange: string) => {
      for (const evaluator of this.#evaluators) evaluator.permit?.(exchange);
    };
    this.#traffic = new JudgedTraffic({ ...options, dialect, cut, permit });
    this.#evaluators = this.#openEvaluators();
    for (const evaluator of this.#evaluators) evaluator.next?.(before);
    this.#traffic.sink.exchangesBefore = before;
  }

  /** Adds an item. Exchanges must come in the order in which they ended, and notes at their position among them. */
  feed(original: TraceItem): void {
    if (isNote(original)) {
      this.#traffic.history.note(original);
      return;
    }
    const trusted = withTrustedMarks(original, this.#header);
    const isTooLong = trusted.response !== null && isTooLongToRead(trusted.response);
    const item = isTooLong ? withoutResponse(trusted) : trusted;
    this.#last = Math.max(this.#last, numberOf(item.id));
    this.#traffic.sink.now = this.#before + item.ended;
    const isDiscovery = item.scenario === DISCOVERY;
    if (this.#cut?.isOwn(item) === false) {
      if (!isDiscovery) this.#feedContext(item);
      return;
    }
    if (trusted !== original && isFromClient(item)) this.#traffic.unbelievedMarks += 1;
    if (isTooLong) this.#traffic.tooLongResponses += 1;
    addCost(this.#traffic.cost, costOf(item));
    if (isDiscovery) return;
    const { betaHeader } = this.#header;
    const { errata } = this.#traffic;
    // A dialect may know the operation under another path; such calls count as uses of its errata. A disturbed call is
    // parsed again without its response, so it is counted only then.
    const dialect = isDisturbedForClient(item) ? errata.dialect : errata.countingDialect;
    const call = this.#knownCalls?.get(item) ?? Call.from(item, betaHeader, dialect);
    if (call === null) {
      this.#feedUnmatched(item);
      return;
    }
    const undisturbed = this.#withoutDisturbedResponse(call, errata.countingDialect);
    if (undisturbed !== call) this.#traffic.disturbedResponses += 1;
    const { coverage, stateMachines, usage, received, sink } = this.#traffic;
    coverage.call(undisturbed, sink.now);
    stateMachines.call(undisturbed, sink.now);
    usage?.call(interpretAsSent(call, betaHeader));
    received.call(undisturbed, sink.now);
    for (const evaluator of this.#evaluators) evaluator.call(evaluator.seesDisturbed ? call : undisturbed);
  }

  /** Removes the response of a call if it was disturbed for a client: such a response counts as not received. */
  #withoutDisturbedResponse(call: Call, dialect: CallDialect | null): Call {
    const { exchange } = call;
    if (!isDisturbedForClient(exchange)) return call;
    return Call.from(withoutResponse(exchange), this.#header.betaHeader, dialect) ?? call;
  }

  /** Starts another trace: completes or drops incomplete evidence. `before`: number of exchanges in earlier traces. */
  next(before = this.#last): void {
    const fresh = this.#openEvaluators();
    this.#traffic.sink.now = before + AT_THE_END;
    this.#evaluators = this.#evaluators.map((evaluator, index) => {
      if (evaluator.next !== undefined) {
        evaluator.next(before);
        return evaluator;
      }
      evaluator.finish();
      return fresh[index] ?? evaluator;
    });
    this.#traffic.stateMachines.next();
    this.#traffic.history.next();
    this.#before = before;
    this.#last = before;
    this.#traffic.sink.exchangesBefore = before;
  }

  /** Completes the evidence, then decides all verdicts. */
  finish(): Judgement {
    this.#complete(this.#last);
    return this.judgement();
  }

  /** Completes the evidence; returns results without verdicts. `total`: number of exchanges of all traffic. */
  part(total = this.#last): JudgementPart {
    this.#complete(total);
    return this.#traffic.part(this.#evaluators);
  }

  /** Adds the results of another part of the traffic. */
  absorb(part: JudgementPart): void {
    this.#traffic.absorb(part, this.#evaluators);
  }

  #complete(total: number): void {
    this.#traffic.sink.now = total + AT_THE_END;
    for (const evaluator of this.#evaluators) evaluator.finish();
  }

  /** Decides all verdicts from the results so far. Call it once. */
  judgement(): Judgement {
    for (const evaluator of this.#evaluators) evaluator.conclude?.();
    const traffic = this.#traffic;
    const { states, errata, history, usage } = traffic;
    traffic.sink.suppositions.resolve(states, errata);
    const causes = this.#explainer.explainVerdicts(traffic);
    const verdicts = new VerdictBuilder(traffic, causes);
    const requirements = [...states.values()].map((state) => verdicts.decide(state));
    return {
      requirements,
      diagnoses: causes.diagnoses(requirements),
      errata: errata.verdicts(requirements),
      choices: traffic.choiceVerdicts(),
      operations: traffic.coverage.verdicts(this.#header.claims),
      blockers: verdicts.blockers(),
      stopReason: history.stopReason,
      stop: history.stop,
      ...(history.hasLeftOutScenarios && { isSelection: true }),
      hints: traffic.hints(),
      states: traffic.stateMachines.verdicts(),
      ...(usage !== null && { usage: usage.usage() }),
      ...(history.disturbances.length > 0 && { disturbances: history.disturbances }),
      cost: { ...traffic.cost },
    };
  }

  #feedContext(exchange: Exchange): void {
    const { betaHeader } = this.#header;
    const { coverage, stateMachines, sink, errata } = this.#traffic;
    // Uses of errata are counted where the exchange is judged.
    const call = Call.from(exchange, betaHeader, errata.dialect);
    if (call === null) {
      this.#feedUnmatched(exchange);
      return;
    }
    const undisturbed = this.#withoutDisturbedResponse(call, errata.dialect);
    coverage.context(undisturbed);
    stateMachines.call(undisturbed, sink.now);
    for (const evaluator of this.#evaluators)
      evaluator.context?.(evaluator.seesDisturbed ? call : undisturbed);
  }

  #feedUnmatched(exchange: Exchange): void {
    const call = Call.atOtherPath(exchange, this.#header.betaHeader);
    if (call !== null) for (const evaluator of this.#evaluators) evaluator.elsewhere?.(call);
    for (const evaluator of this.#evaluators) evaluator.download?.(exchange);
    const outside = outsideCallOf(exchange);
    if (outside !== null) for (const evaluator of this.#evaluators) evaluator.outside?.(outside);
  }

  /** Whether this part judges the evidence: no other part sees all of its exchanges, or this one judges the last. */
  #owns(exchanges: readonly Exchange[]): boolean {
    const cut = this.#cut;
    const last = exchanges.at(-1);
    if (cut === null || last === undefined) return true;
    return exchanges.some((exchange) => !cut.isShared(exchange)) || cut.isOwn(last);
  }

  /** The dispatch is first, because the other evaluators need to know what choices permit. */
  #openEvaluators(): readonly Evaluator[] {
    const sets = this.#traffic.catalogue.requirementSets;
    const withoutListeners = sets.filter(({ evidenceListeners }) => evidenceListeners === undefined);
    const listeners = sets.flatMap((set) => set.evidenceListeners?.(this.#traffic.sink) ?? []);
    return [
      new SelectorDispatch([...this.#traffic.choices.listeners(), ...listeners], (exchanges) =>
        this.#owns(exchanges),
      ),
      ...withoutListeners.map((set) => set.open(this.#traffic.sink)),
    ];
  }
}
