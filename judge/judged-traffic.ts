import type { Hint } from '../exchange/note.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { AcceptanceEvaluator } from './acceptance/acceptance.ts';
import { UsageTracker } from './client/usage.ts';
import { addCost } from './coverage/cost.ts';
import { NearestEvidence } from './coverage/nearest-evidence.ts';
import { OperationCoverage } from './coverage/operation-coverage.ts';
import { ReceivedByScenario } from './coverage/received-by-scenario.ts';
import { StateMachineTracker } from './coverage/state-machines.ts';
import type { Dialect } from './dialects/dialect.ts';
import { AppliedErrata } from './dialects/errata.ts';
import { ChoiceTracker } from './evidence/choices.ts';
import type { TrafficCut } from './partial/traffic-plan.ts';
import { RequirementState } from './requirement-state.ts';
import {
  type Catalogue,
  expectedEvidenceOf,
  type Requirement,
  requirementsOf,
} from './requirements/catalogue.ts';
import type { Evaluator } from './requirements/evaluator.ts';
import { StateSink, type StateSinkOptions } from './state-sink.ts';
import { ScenarioHistory } from './verdict/scenario-history.ts';
import type { ChoiceVerdict } from './verdict/verdict.ts';

interface JudgedTrafficOptions extends Pick<StateSinkOptions, 'header' | 'explainer' | 'onViolation'> {
  readonly catalogue: Catalogue;
  readonly dialect: Dialect | null;
  readonly cut: TrafficCut | null;
  readonly permit: (exchange: string) => void;
}

/** The facts that decide verdicts, without the state of evaluators. Parts can be merged. */
export class JudgedTraffic {
  readonly catalogue: Catalogue;
  readonly header: TraceHeader;
  /** By requirement id, with an entry for every requirement of the catalogue. */
  readonly states: ReadonlyMap<string, RequirementState>;
  readonly errata: AppliedErrata;
  readonly sink: StateSink;
  readonly choices: ChoiceTracker;
  readonly history: ScenarioHistory;
  readonly coverage = new OperationCoverage();
  /** Includes discovery requests, which are not judged. */
  readonly cost = { requests: 0, bytes: 0, tokens: 0 };
  /** Null unless the catalogue has requirements on clients. */
  readonly usage: UsageTracker | null;
  /** Observed states and transitions of objects; if the traffic is cut, only of the objects that this part owns. */
  readonly stateMachines: StateMachineTracker;
  /** Responses by scenario; empty if no evidence is known for the version of assay that made the trace. */
  readonly received: ReceivedByScenario;
  /** Evidence that met only some of the conditions of a requirement; empty in the same case as `received`. */
  readonly nearest: NearestEvidence;
  /** Number of responses that a disturbance changed, rather than only delayed, for a client. */
  disturbedResponses = 0;
  /** Number of marked responses to clients in a trace whose header does not say that responses were disturbed. */
  unbelievedMarks = 0;
  /** Number of responses that are too long to read; they count as not received. */
  tooLongResponses = 0;

  constructor({ catalogue, dialect, cut, permit, ...options }: JudgedTrafficOptions) {
    const { header } = options;
    this.catalogue = catalogue;
    this.header = header;
    this.states = new Map(
      [...requirementsOf(catalogue)].map(([id, requirement]) => [id, new RequirementState(requirement)]),
    );
    this.errata = new AppliedErrata(dialect);
    const expected = expectedEvidenceOf(catalogue, header);
    this.received = new ReceivedByScenario(
      expected === null ? [] : catalogue.scenarios.map(({ name }) => name),
    );
    this.nearest = new NearestEvidence(expected?.scenarios ?? new Map());
    const { states, errata, nearest } = this;
    this.sink = new StateSink({ ...options, states, errata, nearest });
    this.choices = new ChoiceTracker(catalogue.choices, permit);
    this.history = new ScenarioHistory(catalogue.scenarios);
    this.usage = judgesClients(catalogue) ? new UsageTracker() : null;
    this.stateMachines = new StateMachineTracker(catalogue.stateMachines ?? [], cut?.ownsObject);
  }

  /** The `evaluators` must have finished. */
  part(evaluators: readonly Evaluator[]) {
    const [acceptance = null] = evaluators.filter(isAcceptanceEvaluator).map((evaluator) => evaluator.part());
    return {
      requirements: [...this.states].flatMap(([id, state]) => {
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
      nearest: this.nearest.part().filter(([id]) => this.states.get(id)?.observations === 0),
      spoiled: this.disturbedResponses,
      unbelieved: this.unbelievedMarks,
      tooLong: this.tooLongResponses,
      cost: { ...this.cost },
    };
  }

  /** The part must have been judged by the same catalogue and dialect. */
  absorb(part: JudgementPart, evaluators: readonly Evaluator[]): void {
    const errata = this.errata.dialect?.errata ?? [];
    for (const { id, ...results } of part.requirements) this.states.get(id)?.absorb(results, errata);
    this.sink.suppositions.absorb(part.suppositions, this.states, this.errata);
    if (part.acceptance !== null)
      for (const evaluator of evaluators.filter(isAcceptanceEvaluator)) evaluator.absorb(part.acceptance);
    this.errata.absorb(part.errata);
    this.choices.absorb(part.choices);
    this.history.absorb(part.history);
    this.coverage.absorb(part.operations);
    this.stateMachines.absorb(part.states);
    if (part.usage !== null) this.usage?.absorb(part.usage);
    this.received.absorb(part.received);
    this.nearest.absorb(part.nearest);
    this.disturbedResponses += part.spoiled;
    this.unbelievedMarks += part.unbelieved;
    this.tooLongResponses += part.tooLong;
    addCost(this.cost, part.cost);
  }

  choiceVerdicts(): readonly ChoiceVerdict[] {
    const { dialect, vocabulary } = this.errata;
    return [...this.choices.verdicts(dialect?.choices), ...vocabulary.verdicts()];
  }

  hints(): readonly Hint[] {
    const isServiceJudged = hasRequirementOn(this.catalogue, undefined);
    const counts: readonly Extract<Hint, { readonly answers: number }>[] = [
      { kind: 'answers-disturbed', answers: isServiceJudged ? this.disturbedResponses : 0 },
      { kind: 'marks-not-believed', answers: this.unbelievedMarks },
      { kind: 'answers-too-long', answers: this.tooLongResponses },
    ];
    return [...this.history.hints, ...counts.filter(({ answers }) => answers > 0)];
  }
}

function isAcceptanceEvaluator(evaluator: Evaluator): evaluator is AcceptanceEvaluator {
  return evaluator instanceof AcceptanceEvaluator;
}

export function judgesClients(catalogue: Catalogue): boolean {
  return hasRequirementOn(catalogue, 'client');
}

function hasRequirementOn({ requirementSets }: Catalogue, side: Requirement['side']): boolean {
  return requirementSets.some(({ requirements }) => requirements.some((one) => one.side === side));
}

/** Results for one part of the traffic before verdicts are decided: plain data of bounded size that can be merged. */
export type JudgementPart = ReturnType<JudgedTraffic['part']>;
