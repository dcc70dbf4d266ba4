import type { Exchange } from '../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../exchange/trace.ts';
import { CostCounter } from './coverage/cost-counter.ts';
import { OperationCoverage } from './coverage/operation-coverage.ts';
import { StateMachineTracker } from './coverage/state-machines.ts';
import type { Dialect } from './dialects/dialect.ts';
import { AppliedErrata } from './dialects/errata.ts';
import { SelectorDispatch } from './evidence/selector-dispatch.ts';
import {
  type Catalogue,
  type Evaluator,
  type Requirement,
  type ResultSink,
  requirementsOf,
} from './requirements/catalogue.ts';
import { ChoiceTracker } from './requirements/choices.ts';
import type { Violation } from './requirements/requirement.ts';
import { Call } from './trace/call.ts';
import { ScenarioHistory } from './trace/scenario-history.ts';
import { RequirementState } from './verdict/requirement-state.ts';
import type { Judgement } from './verdict/verdict.ts';
import { VerdictBuilder } from './verdict/verdict-builder.ts';

/** Judges one trace, item by item, in memory that does not grow with it. */
export interface Judge {
  /** Items in the order in which they ended. */
  feed(item: TraceItem): void;
  /** What follows is of another trace, a shard of the same run: nothing so far came before or after it. */
  next(): void;
  /** The trace is over. To be called once. */
  finish(): Judgement;
}

export interface JudgeOptions {
  readonly catalogue: Catalogue;
  readonly header: TraceHeader;
  /** The dialect that the header names; null, the default, for the specification as it is. */
  readonly dialect?: Dialect | null;
  /** Calls of this trace that are understood already: by who judges much of it again. */
  readonly knownCalls?: ReadonlyMap<Exchange, Call>;
  /** Told of each disagreement when it is met, before it is known how often it comes. */
  readonly onViolation?: (
    violation: Violation,
    requirement: Requirement,
    evidence: readonly Exchange[],
  ) => void;
}

/** Opens a judge. Live runs, cassettes and watched traffic all go through here. */
export function openJudge({
  catalogue,
  header,
  dialect = null,
  knownCalls: understood,
  onViolation: onComplaint,
}: JudgeOptions): Judge {
  const states = new Map(
    [...requirementsOf(catalogue)].map(([id, requirement]) => [id, new RequirementState(requirement)]),
  );
  const errata = new AppliedErrata(dialect);
  const sink = benchOf(header, states, errata, onComplaint ?? (() => {}));
  const choices = new ChoiceTracker(catalogue.choices);
  const listening = catalogue.requirementSets.flatMap(({ evidenceListeners: listeners }) => listeners ?? []);
  const apart = catalogue.requirementSets.filter(
    ({ evidenceListeners: listeners }) => listeners === undefined,
  );
  const gather = () =>
    new SelectorDispatch([...choices.listeners(), ...listening.flatMap((listeners) => listeners(sink))]);
  const open = () => [...apart.map((set) => set.open(sink)), gather()];
  let evaluators: readonly Evaluator[] = open();
  const history = new ScenarioHistory(catalogue.scenarios);
  const tally = new OperationCoverage();
  const cost = new CostCounter();
  const lives = new StateMachineTracker(catalogue.stateMachines ?? []);
  return {
    feed(item) {
      if (isNote(item)) {
        history.note(item);
        return;
      }
      cost.exchange(item);
      const call = understood?.get(item) ?? Call.of(item, header.betaHeader, errata);
      if (call === null) {
        const elsewhere = Call.atOtherPath(item, header.betaHeader);
        if (elsewhere !== null) for (const evaluator of evaluators) evaluator.elsewhere?.(elsewhere);
        for (const evaluator of evaluators) evaluator.download?.(item);
        return;
      }
      tally.call(call);
      lives.call(call);
      for (const evaluator of evaluators) evaluator.call(call);
    },
    next() {
      for (const evaluator of evaluators) evaluator.finish();
      evaluators = open();
      lives.next();
      history.next();
    },
    finish() {
      for (const evaluator of evaluators) evaluator.finish();
      const verdicts = new VerdictBuilder({ header, history, tally, infeasible: catalogue.infeasible });
      const requirements = [...states.values()].map((state) => verdicts.of(state));
      return {
        requirements,
        errata: errata.verdicts(requirements),
        choices: choices.verdicts(),
        operations: tally.verdicts(new Set(header.claims.families)),
        blockers: verdicts.blockers(),
        stopReason: history.stopReason,
        stop: history.stop,
        hints: history.hints,
        states: lives.verdicts(),
        cost: { requests: cost.requests, bytes: cost.bytes, tokens: cost.tokens },
      };
    },
  };
}

/** Judges a whole trace at once. */
export function judgeTrace(
  catalogue: Catalogue,
  header: TraceHeader,
  items: Iterable<TraceItem>,
  understood: ReadonlyMap<Exchange, Call> = new Map(),
): Judgement {
  const open = openJudge({ catalogue, header, knownCalls: understood });
  for (const item of items) open.feed(item);
  return open.finish();
}

function benchOf(
  header: TraceHeader,
  states: ReadonlyMap<string, RequirementState>,
  errata: AppliedErrata,
  tell: NonNullable<JudgeOptions['onViolation']>,
): ResultSink {
  const docket = (id: string): RequirementState => {
    const found = states.get(id);
    if (found === undefined) throw new Error(`${id} is judged, but not in the catalogue`);
    return found;
  };
  return {
    header,
    observe(id, times) {
      docket(id).observations += times;
    },
    report(id, violation, evidence) {
      const erratum = errata.find(id, violation);
      if (erratum !== null) {
        docket(id).excuse ??= erratum;
        return;
      }
      const named = violation.exchange;
      const shown = evidence.find((exchange) => exchange.id === named) ?? evidence.at(-1);
      const call = shown === undefined ? null : Call.of(shown, header.betaHeader, errata.dialect);
      docket(id).report(violation, named ?? shown?.id ?? '', call);
      if (violation.inconclusive === undefined) tell(violation, docket(id).requirement, evidence);
    },
    block(id, exchange, obstacle) {
      docket(id).blocked ??= { exchange, obstacle };
    },
    fail(id, error) {
      // What is nested so deeply that it cannot be walked is the target's, not a defect of ours.
      if (error instanceof RangeError && /call stack/i.test(error.message))
        docket(id).inconclusive ??= { kind: 'nesting' };
      else docket(id).fault ??= error instanceof Error ? error.message : String(error);
    },
  };
}
