import { claimsOperation } from '../exchange/claims.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Obstacle } from '../exchange/note.ts';
import type { TraceHeader, TraceItem } from '../exchange/trace.ts';
import { type JudgeOptions, TraceJudge } from '../judge/judge.ts';
import type { JudgedTraffic, JudgementPart } from '../judge/judged-traffic.ts';
import type { RequirementState } from '../judge/requirement-state.ts';
import type { Catalogue, Requirement } from '../judge/requirements/catalogue.ts';
import type { Call } from '../judge/trace/call.ts';
import type { Cause } from '../judge/verdict/cause.ts';
import type { DiagnosisVerdict, Judgement, RequirementVerdict } from '../judge/verdict/verdict.ts';
import {
  type Decision,
  decideUnusable,
  type Explainer,
  untested,
  type VerdictCauses,
} from '../judge/verdict-builder.ts';
import { matchOperation } from '../schemas/index.ts';
import { BreakdownVerdicts } from './breakdown-verdicts.ts';
import { explainRefusals } from './diagnosis.ts';
import { DiagnosisVerdicts } from './diagnosis-verdicts.ts';
import { MissingEvidence } from './missing-evidence.ts';

/** Obstacles that a conforming target may cause: a request came too late, or exceeds the context of the model. */
const HARMLESS_OBSTACLES: readonly Obstacle['kind'][] = ['late', 'context'];

/** Throws if two requirements of the catalogue share an id. */
export function openJudge(options: Omit<JudgeOptions, 'explainer'>): TraceJudge {
  return new TraceJudge({ ...options, explainer });
}

export function combineParts(
  options: Pick<JudgeOptions, 'catalogue' | 'header' | 'dialect'>,
  parts: Iterable<JudgementPart>,
): Judgement {
  const judge = openJudge(options);
  for (const part of parts) judge.absorb(part);
  return judge.judgement();
}

/** `knownCalls`: calls that are already parsed. */
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

const explainer: Explainer = { explainRefusals, explainVerdicts: (facts) => new ExplainedVerdicts(facts) };

class ExplainedVerdicts implements VerdictCauses {
  readonly #facts: JudgedTraffic;
  readonly #missing: MissingEvidence;
  readonly #diagnoses: DiagnosisVerdicts;
  readonly #breakdowns: BreakdownVerdicts;

  constructor(facts: JudgedTraffic) {
    this.#facts = facts;
    this.#missing = new MissingEvidence(facts);
    this.#diagnoses = new DiagnosisVerdicts(facts.sink.diagnoses);
    this.#breakdowns = new BreakdownVerdicts(facts.sink.failures);
  }

  explainFailure(state: RequirementState, decision: Decision): Decision {
    const causes = this.#diagnoses.findCauses(state);
    if (causes.length > 0) return this.#asConsequence(decision, causes);
    const faults = this.#breakdowns.faultsBehind(state);
    return faults.length > 0 ? { ...decision, faults } : decision;
  }

  explainInconclusive(requirement: Requirement, decision: Decision): Decision {
    const { cause } = decision;
    return cause === null
      ? decision
      : { ...decision, cause: this.#breakdowns.explain(requirement.id, cause) };
  }

  explainMissingEvidence(requirement: Requirement): Decision | null {
    const choice = this.#missing.findSuppressingChoice(requirement);
    if (choice !== null) return untested({ kind: 'no-evidence', choice });
    const expected = this.#missing.expectedFrom(requirement);
    if (expected === null) return null;
    const { coverage } = this.#facts;
    const absent = requirement.operations.filter((id) => coverage.isNotImplemented(id));
    if (absent.length > 0) return untested({ kind: 'not-implemented', operations: absent });
    const unusable = decideUnusable(this.#facts, requirement);
    if (unusable !== null) return unusable;
    const causes = this.#diagnoses.findProvenCauses(this.#facts.received.refusedIn(expected.scenario));
    if (causes.length === 0) {
      const scenarios = this.#missing.completedScenarios(requirement);
      const failure = this.#breakdowns.causeOfScenarios(scenarios, requirement.operations);
      if (failure !== null) return { verdict: 'inconclusive', cause: failure };
    }
    return this.#asConsequence({ verdict: 'inconclusive', cause: { kind: 'no-evidence', expected } }, causes);
  }

  explainBlocked(requirement: Requirement, cause: Extract<Cause, { readonly kind: 'blocked' }>): Decision {
    const causes = this.#diagnoses.findProvenCauses([cause.exchange]);
    if (causes.length > 0) return this.#asConsequence(untested(cause), causes);
    return this.#isSuspicious(requirement, cause) ? { verdict: 'inconclusive', cause } : untested(cause);
  }

  diagnoses(requirements: readonly RequirementVerdict[]): readonly DiagnosisVerdict[] {
    return this.#diagnoses.makeVerdicts(requirements);
  }

  /** The decision is excused if errata excuse all of the causes. */
  #asConsequence(decision: Decision, causes: readonly string[]): Decision {
    if (causes.length === 0) return decision;
    const excuses = causes.map((id) => this.#facts.errata.excuseOfCause(id));
    const [first] = excuses;
    if (first === undefined || first === null || excuses.includes(null))
      return { ...decision, consequenceOf: causes };
    return { verdict: 'excused', cause: { kind: 'erratum', id: first.id, reason: first.reason } };
  }

  /** Whether the target blocks evidence that every conforming target gives, for an unknown reason. */
  #isSuspicious(
    requirement: Requirement,
    { exchange, obstacle }: Extract<Cause, { kind: 'blocked' }>,
  ): boolean {
    if (HARMLESS_OBSTACLES.includes(obstacle.kind) || this.#facts.sink.excusedRefusals.has(exchange))
      return false;
    return !this.#isOnUnofferedOperation(obstacle) && this.#missing.isExpected(requirement);
  }

  #isOnUnofferedOperation(obstacle: Obstacle): boolean {
    if (obstacle.kind !== 'answered') return false;
    const match = matchOperation(obstacle.method, obstacle.path);
    if (match === null) return false;
    const { id } = match.operation;
    const { header, coverage } = this.#facts;
    return !claimsOperation(header.claims, id) && coverage.isNotImplemented(id);
  }
}
