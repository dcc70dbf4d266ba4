// Opens the judge of a trace: every source of exchanges (a live run, a proxy, a cassette, a HAR file) is judged here.
// An item reaches the coverage counters and the evaluators of all requirements once; nothing is read twice.
import { isSpoiled } from '../exchange/disturbed.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Hint } from '../exchange/note.ts';
import { isNote, type TraceHeader, type TraceItem } from '../exchange/trace.ts';
import { asSent, isOfClient } from './client/client-side.ts';
import { UsageTracker } from './client/usage.ts';
import { CostCounter } from './coverage/cost-counter.ts';
import { OperationCoverage } from './coverage/operation-coverage.ts';
import { StateMachineTracker } from './coverage/state-machines.ts';
import type { Dialect } from './dialects/dialect.ts';
import { AppliedErrata } from './dialects/errata.ts';
import { SelectorDispatch } from './evidence/selector-dispatch.ts';
import { EvidenceTracker } from './missing-evidence/evidence-tracker.ts';
import {
  type Catalogue,
  type Evaluator,
  type Requirement,
  requirementsOf,
} from './requirements/catalogue.ts';
import { ChoiceTracker } from './requirements/choices.ts';
import type { Violation } from './requirements/requirement.ts';
import { Call } from './trace/call.ts';
import { outsideCallOf } from './trace/outside-call.ts';
import { ScenarioHistory } from './trace/scenario-history.ts';
import { RequirementState } from './verdict/requirement-state.ts';
import { StateSink } from './verdict/state-sink.ts';
import type { Judgement } from './verdict/verdict.ts';
import { VerdictBuilder } from './verdict/verdict-builder.ts';

/** Judges one trace, item by item, in memory that does not grow with it. */
export interface Judge {
  /** Notes go to the scenario history, exchanges to coverage and evaluators. */
  feed(item: TraceItem): void;
  /** Begins another trace of the same run, such as a shard: nothing before this call precedes or follows its exchanges. */
  next(): void;
  /** Ends the trace and returns its judgement. Call it once. */
  finish(): Judgement;
}

/** Input of a judge. */
export interface JudgeOptions {
  readonly catalogue: Catalogue;
  /** The header of the trace: claims, filters, beta header and dialect that the judgement takes into account. */
  readonly header: TraceHeader;
  /** The dialect that the header names. Default null: the specification without errata. */
  readonly dialect?: Dialect | null;
  /** Calls of this trace that are parsed already, for a caller that judges the same exchanges many times. */
  readonly knownCalls?: ReadonlyMap<Exchange, Call>;
  /** Called with each violation as soon as it is found, also for those beyond the number that a report keeps. */
  readonly onViolation?: (
    violation: Violation,
    requirement: Requirement,
    evidence: readonly Exchange[],
  ) => void;
}

/** Opens a judge. Throws where the catalogue has two requirements with the same id. */
export function openJudge(options: JudgeOptions): Judge {
  return new TraceJudge(options);
}

/** Judges a whole trace at once, without a dialect. */
export function judgeTrace(
  catalogue: Catalogue,
  header: TraceHeader,
  items: Iterable<TraceItem>,
  knownCalls: ReadonlyMap<Exchange, Call> = new Map(),
): Judgement {
  const judge = openJudge({ catalogue, header, knownCalls });
  for (const item of items) judge.feed(item);
  return judge.finish();
}

/** Whether some requirement is one on requests. */
function judgesClients({ requirementSets }: Catalogue): boolean {
  return requirementSets.some(({ requirements }) => requirements.some(({ side }) => side === 'client'));
}

/** The exchange as one whose answer was not recorded, which is no evidence about anybody. */
function withoutAnswer(exchange: Exchange): Exchange {
  return { ...exchange, response: null, end: { ...exchange.end, how: 'recorder-killed', detail: null } };
}

/** The judge of one run. All evaluators write to one sink, which keeps a state for each requirement. */
class TraceJudge implements Judge {
  readonly #catalogue: Catalogue;
  readonly #header: TraceHeader;
  /** Calls that the caller has parsed already; all others are parsed here. */
  readonly #knownCalls: JudgeOptions['knownCalls'];
  /** By id of the requirement, sorted. */
  readonly #states: ReadonlyMap<string, RequirementState>;
  readonly #errata: AppliedErrata;
  /** Receives the results of all evaluators. */
  readonly #sink: StateSink;
  /** Which alternatives of the open points the target shows. */
  readonly #choices: ChoiceTracker;
  /** Reports of the notes on scenarios: why a requirement has no evidence. */
  readonly #history: ScenarioHistory;
  /** Which operations were called and which succeeded. */
  readonly #coverage = new OperationCoverage();
  /** Requests, bytes and tokens of the trace. */
  readonly #cost = new CostCounter();
  /** What a client uses; null where no client is judged. */
  readonly #usage: UsageTracker | null;
  readonly #stateMachines: StateMachineTracker;
  readonly #missing: EvidenceTracker;
  /** Answers that were spoiled on purpose. */
  #spoiled = 0;
  /** Evaluators of the current trace; `next` replaces those whose evidence never spans two traces. */
  #evaluators: readonly Evaluator[];

  constructor({ catalogue, header, dialect = null, knownCalls, onViolation }: JudgeOptions) {
    this.#catalogue = catalogue;
    this.#header = header;
    this.#knownCalls = knownCalls;
    this.#states = new Map(
      [...requirementsOf(catalogue)].map(([id, requirement]) => [id, new RequirementState(requirement)]),
    );
    this.#errata = new AppliedErrata(dialect);
    this.#sink = new StateSink({ header, states: this.#states, errata: this.#errata, onViolation });
    this.#choices = new ChoiceTracker(catalogue.choices, (exchange) => {
      for (const evaluator of this.#evaluators) evaluator.permit?.(exchange);
    });
    this.#history = new ScenarioHistory(catalogue.scenarios);
    this.#usage = judgesClients(catalogue) ? new UsageTracker() : null;
    this.#stateMachines = new StateMachineTracker(catalogue.stateMachines ?? []);
    this.#missing = new EvidenceTracker(catalogue, header);
    this.#evaluators = this.#openEvaluators();
  }

  feed(item: TraceItem): void {
    if (isNote(item)) {
      this.#history.note(item);
      return;
    }
    this.#cost.exchange(item);
    const { betaHeader } = this.#header;
    // A dialect may know the operation under another path, and counts such calls as uses of its errata.
    const call = this.#knownCalls?.get(item) ?? Call.of(item, betaHeader, this.#errata);
    if (call === null) {
      this.#withoutOperation(item);
      return;
    }
    const shown = this.#ofService(call);
    this.#coverage.call(shown);
    this.#stateMachines.call(shown);
    this.#usage?.call(asSent(call, betaHeader));
    this.#missing.call(shown);
    for (const evaluator of this.#evaluators) evaluator.call(evaluator.seesSpoiled ? call : shown);
  }

  /** What a call shows of the service: nothing of its answer where that was spoiled on purpose. */
  #ofService(call: Call): Call {
    const { exchange } = call;
    if (!isOfClient(exchange) || !isSpoiled(exchange)) return call;
    this.#spoiled += 1;
    return Call.of(withoutAnswer(exchange), this.#header.betaHeader, this.#errata) ?? call;
  }

  /** Verdicts are kept; evidence that is still incomplete is completed or dropped. */
  next(): void {
    const fresh = this.#openEvaluators();
    this.#evaluators = this.#evaluators.map((evaluator, place) => {
      if (evaluator.next === undefined) evaluator.finish();
      else evaluator.next();
      return evaluator.next === undefined ? (fresh[place] ?? evaluator) : evaluator;
    });
    this.#stateMachines.next();
    this.#history.next();
  }

  /** Completes the evidence, then decides the verdict of each requirement. */
  finish(): Judgement {
    for (const evaluator of this.#evaluators) evaluator.finish();
    const [history, coverage, cost] = [this.#history, this.#coverage, this.#cost];
    const { infeasible } = this.#catalogue;
    const choices = [...this.#choices.verdicts(), ...this.#errata.vocabulary.verdicts()];
    const missing = this.#missing.among({ states: this.#states, choices, history });
    const verdicts = new VerdictBuilder({
      header: this.#header,
      history,
      coverage,
      infeasible,
      missing,
      diagnoses: this.#sink.diagnoses,
      excusedRefusals: this.#sink.excusedRefusals,
      errata: this.#errata,
    });
    const requirements = [...this.#states.values()].map((state) => verdicts.of(state));
    return {
      requirements,
      diagnoses: verdicts.diagnoses(requirements),
      errata: this.#errata.verdicts(requirements),
      choices,
      operations: coverage.verdicts(this.#header.claims),
      blockers: verdicts.blockers(),
      stopReason: history.stopReason,
      stop: history.stop,
      hints: [...history.hints, ...this.#spoiledHints()],
      states: this.#stateMachines.verdicts(),
      ...(this.#usage !== null && { usage: this.#usage.usage() }),
      ...(history.disturbances.length > 0 && { disturbances: history.disturbances }),
      cost: { requests: cost.requests, bytes: cost.bytes, tokens: cost.tokens },
    };
  }

  /** Says that answers were left out, where any requirement is about them. */
  #spoiledHints(): readonly Hint[] {
    const isOnService = this.#catalogue.requirementSets.some(({ requirements }) =>
      requirements.some(({ side }) => side !== 'client'),
    );
    return this.#spoiled > 0 && isOnService ? [{ kind: 'answers-disturbed', answers: this.#spoiled }] : [];
  }

  /**
   * An exchange that calls no operation: a call in the other spelling of its path, a download of an address, or a call
   * outside the specification.
   */
  #withoutOperation(exchange: Exchange): void {
    const call = Call.atOtherPath(exchange, this.#header.betaHeader);
    if (call !== null) for (const evaluator of this.#evaluators) evaluator.elsewhere?.(call);
    for (const evaluator of this.#evaluators) evaluator.download?.(exchange);
    const outside = outsideCallOf(exchange);
    if (outside !== null) for (const evaluator of this.#evaluators) evaluator.outside?.(outside);
  }

  /**
   * New evaluators for a trace. Requirements and choices that listen to selectors share one dispatch; it is the first,
   * because what a choice permits must be known before the others finish.
   */
  #openEvaluators(): readonly Evaluator[] {
    const sets = this.#catalogue.requirementSets;
    const withoutListeners = sets.filter(({ evidenceListeners }) => evidenceListeners === undefined);
    const listeners = sets.flatMap((set) => set.evidenceListeners?.(this.#sink) ?? []);
    return [
      new SelectorDispatch([...this.#choices.listeners(), ...listeners]),
      ...withoutListeners.map((set) => set.open(this.#sink)),
    ];
  }
}
