import type { Hint } from '../exchange/note.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { AcceptanceEvaluator } from './acceptance/acceptance.ts';
import type { AcceptancePart } from './acceptance/acceptance-tally.ts';
import { UsageTracker } from './client/usage.ts';
import { CostCounter, type CostPart } from './coverage/cost.ts';
import { OperationCoverage, type OperationPart } from './coverage/operation-coverage.ts';
import {
  NearestEvidence,
  type NearestPart,
  ReceivedByScenario,
  type ReceivedPart,
} from './coverage/received.ts';
import { type StateMachinePart, StateMachineTracker } from './coverage/state-machines.ts';
import type { Dialect } from './dialects/dialect.ts';
import { AppliedErrata, type ErrataPart } from './dialects/errata.ts';
import { type ChoicesPart, ChoiceTracker } from './evidence/choices.ts';
import type { TrafficCut } from './partial/traffic-plan.ts';
import { type RequirementPart, RequirementState } from './requirement-state.ts';
import {
  type Catalogue,
  type Evaluator,
  expectedEvidenceOf,
  requirementsOf,
} from './requirements/catalogue.ts';
import { StateSink, type StateSinkOptions, type SuppositionsPart } from './state-sink.ts';
import { type HistoryPart, ScenarioHistory } from './verdict/scenario-history.ts';
import type { Judgement, OperationUsage } from './verdict/verdict.ts';
import { type Explainer, type JudgedFacts, VerdictBuilder } from './verdict-builder.ts';

interface JudgedTrafficOptions extends Pick<StateSinkOptions, 'onViolation'> {
  readonly catalogue: Catalogue;
  readonly header: TraceHeader;
  readonly dialect: Dialect | null;
  readonly cut: TrafficCut | null;
  readonly explainer: Explainer;
  readonly permit: (exchange: string) => void;
}

/**
 * The state of a judge, without what its evaluators remember about single exchanges. It can be split into parts and
 * merged.
 */
export class JudgedTraffic {
  readonly #catalogue: Catalogue;
  readonly #header: TraceHeader;
  readonly #states: ReadonlyMap<string, RequirementState>;
  /** The active dialect, with counts of its applied errata. */
  readonly errata: AppliedErrata;
  /** Receives the results of the evaluators. */
  readonly sink: StateSink;
  /** The alternatives that the target takes, by choice. */
  readonly choices: ChoiceTracker;
  /** Stops, skipped, blocked and crashed scenarios, and hints, from the notes of the trace. */
  readonly history: ScenarioHistory;
  /** Counts and durations of calls, by operation. */
  readonly coverage = new OperationCoverage();
  /** Cost of the exchanges judged here, including discovery. */
  readonly cost = new CostCounter();
  /** Null unless the catalogue has requirements on clients. */
  readonly usage: UsageTracker | null;
  /** Observed states and transitions of objects; with a cut, of its own objects only. */
  readonly stateMachines: StateMachineTracker;
  /**
   * Responses by scenario; empty if the catalogue expects no evidence of the version of assay that recorded the
   * trace.
   */
  readonly received: ReceivedByScenario;
  /** Evidence that met some conditions of a requirement; empty like `received`. */
  readonly nearest: NearestEvidence;
  readonly #explainer: Explainer;
  /** Number of responses that were disturbed on purpose. */
  spoiled = 0;
  /** Number of responses marked as disturbed although the header of the trace does not announce it. */
  unbelieved = 0;
  /** Number of responses that are too long to be read; they count as not received. */
  tooLong = 0;

  constructor({ catalogue, header, dialect, cut, explainer, permit, onViolation }: JudgedTrafficOptions) {
    this.#catalogue = catalogue;
    this.#header = header;
    this.#states = new Map(
      [...requirementsOf(catalogue)].map(([id, requirement]) => [id, new RequirementState(requirement)]),
    );
    this.errata = new AppliedErrata(dialect);
    this.#explainer = explainer;
    const expected = expectedEvidenceOf(catalogue, header);
    this.received = new ReceivedByScenario(
      expected === null ? [] : catalogue.scenarios.map(({ name }) => name),
    );
    this.nearest = new NearestEvidence(expected?.scenarios ?? new Map());
    const { errata, nearest } = this;
    this.sink = new StateSink({ header, states: this.#states, errata, explainer, nearest, onViolation });
    this.choices = new ChoiceTracker(catalogue.choices, permit);
    this.history = new ScenarioHistory(catalogue.scenarios);
    this.usage = judgesClients(catalogue) ? new UsageTracker() : null;
    this.stateMachines = new StateMachineTracker(catalogue.stateMachines ?? [], cut?.ownsObject);
  }

  /** Returns the results without deciding verdicts. `evaluators`: finished ones. */
  part(evaluators: readonly Evaluator[]): JudgementPart {
    const [acceptance = null] = evaluators.filter(isOfAcceptance).map((evaluator) => evaluator.part());
    return {
      requirements: [...this.#states].flatMap(([id, state]) => {
        const part = state.part();
        return part === null ? [] : [{ id, ...part }];
      }),
      suppositions: this.sink.suppositions.part(),
      acceptance,
      errata: this.errata.part(),
      choices: this.choices.part(),
      history: this.history.part(),
      operations: this.coverage.part(),
      states: this.stateMachines.part(),
      usage: this.usage?.usage() ?? null,
      received: this.received.part(),
      nearest: this.nearest.part().filter(([id]) => this.#states.get(id)?.observations === 0),
      spoiled: this.spoiled,
      unbelieved: this.unbelieved,
      tooLong: this.tooLong,
      cost: this.cost.part(),
    };
  }

  /** Adds the results of another part of the traffic, judged by the same catalogue and dialect. */
  absorb(part: JudgementPart, evaluators: readonly Evaluator[]): void {
    const errata = this.errata.dialect?.errata ?? [];
    for (const { id, ...own } of part.requirements) this.#states.get(id)?.absorb(own, errata);
    this.sink.suppositions.absorb(part.suppositions, this.#states, errata);
    if (part.acceptance !== null)
      for (const evaluator of evaluators.filter(isOfAcceptance)) evaluator.absorb(part.acceptance);
    this.errata.absorb(part.errata);
    this.choices.absorb(part.choices);
    this.history.absorb(part.history);
    this.coverage.absorb(part.operations);
    this.stateMachines.absorb(part.states);
    if (part.usage !== null) this.usage?.absorb(part.usage);
    this.received.absorb(part.received);
    this.nearest.absorb(part.nearest);
    this.spoiled += part.spoiled;
    this.unbelieved += part.unbelieved;
    this.tooLong += part.tooLong;
    this.cost.absorb(part.cost);
  }

  /** Concludes the evaluators and decides all verdicts. Call it once. */
  judgement(evaluators: readonly Evaluator[]): Judgement {
    for (const evaluator of evaluators) evaluator.conclude?.();
    this.sink.suppositions.resolve(this.#states, this.errata);
    const { history, coverage, cost } = this;
    const choices = [
      ...this.choices.verdicts(this.errata.dialect?.choices),
      ...this.errata.vocabulary.verdicts(),
    ];
    const facts: JudgedFacts = {
      catalogue: this.#catalogue,
      header: this.#header,
      states: this.#states,
      history,
      coverage,
      received: this.received,
      nearest: this.nearest,
      errata: this.errata,
      choices,
      diagnoses: this.sink.diagnoses,
      failures: this.sink.failures,
      excusedRefusals: this.sink.excusedRefusals,
    };
    const causes = this.#explainer.explainVerdicts(facts);
    const verdicts = new VerdictBuilder(facts, causes);
    const requirements = [...this.#states.values()].map((state) => verdicts.verdictOf(state));
    return {
      requirements,
      diagnoses: causes.diagnoses(requirements),
      errata: this.errata.verdicts(requirements),
      choices,
      operations: coverage.verdicts(this.#header.claims),
      blockers: verdicts.blockers(),
      stopReason: history.stopReason,
      stop: history.stop,
      ...(history.leavesOut && { isSelection: true }),
      hints: [...history.hints, ...this.#hints()],
      states: this.stateMachines.verdicts(),
      ...(this.usage !== null && { usage: this.usage.usage() }),
      ...(history.disturbances.length > 0 && { disturbances: history.disturbances }),
      cost: cost.part(),
    };
  }

  #hints(): readonly Hint[] {
    const isOnService = this.#catalogue.requirementSets.some(({ requirements }) =>
      requirements.some(({ side }) => side !== 'client'),
    );
    const counts: readonly Extract<Hint, { readonly answers: number }>[] = [
      { kind: 'answers-disturbed', answers: isOnService ? this.spoiled : 0 },
      { kind: 'marks-not-believed', answers: this.unbelieved },
      { kind: 'answers-too-long', answers: this.tooLong },
    ];
    return counts.filter(({ answers }) => answers > 0);
  }
}

function isOfAcceptance(evaluator: Evaluator): evaluator is AcceptanceEvaluator {
  return evaluator instanceof AcceptanceEvaluator;
}

export function judgesClients({ requirementSets }: Catalogue): boolean {
  return requirementSets.some(({ requirements }) => requirements.some(({ side }) => side === 'client'));
}

/** Results for one part of the traffic before verdicts are decided: plain data of bounded size that can be merged. */
export interface JudgementPart {
  /** Results by requirement id; omits requirements without any. */
  readonly requirements: readonly ({ readonly id: string } & RequirementPart)[];
  /** Results that count only if the target complies, or does not comply, elsewhere in the same trace. */
  readonly suppositions: SuppositionsPart;
  /** Null if the catalogue has no requirements on acceptance. */
  readonly acceptance: AcceptancePart | null;
  /** Uses of errata, and unlisted values that the dialect permitted. */
  readonly errata: ErrataPart;
  /** Alternatives taken; omits choices that the traffic does not show. */
  readonly choices: ChoicesPart;
  /** Stops, skipped, blocked and crashed scenarios, and hints. */
  readonly history: HistoryPart;
  /** Counts and durations of the operations that were called. */
  readonly operations: readonly OperationPart[];
  /** Observed states and transitions by state machine. */
  readonly states: readonly StateMachinePart[];
  /** Null if no client is judged. */
  readonly usage: readonly OperationUsage[] | null;
  /** Responses by scenario. */
  readonly received: ReceivedPart;
  /** Nearest evidence of requirements for which this part has no observation. */
  readonly nearest: NearestPart;
  /** Number of responses that were disturbed on purpose. */
  readonly spoiled: number;
  /** Number of responses marked as disturbed although the header of the trace does not announce it. */
  readonly unbelieved: number;
  /** Responses that are too long to be read. */
  readonly tooLong: number;
  /** Requests, bytes and tokens of this part. */
  readonly cost: CostPart;
}
