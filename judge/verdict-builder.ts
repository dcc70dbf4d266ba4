import { matchesGlob } from '../exchange/glob.ts';
import type { Obstacle } from '../exchange/note.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { BreakdownVerdicts, type Failures } from '../explain/breakdown-verdicts.ts';
import type { Diagnosis } from '../explain/diagnosis.ts';
import { DiagnosisVerdicts } from '../explain/diagnosis-verdicts.ts';
import type { EvidenceTracker } from '../explain/evidence-tracker.ts';
import type { OperationCoverage } from './coverage/operation-coverage.ts';
import type { AppliedErrata } from './dialects/errata.ts';
import type { RequirementState } from './requirement-state.ts';
import type { InfeasibleRequirement, Requirement } from './requirements/catalogue.ts';
import { filteredBy, isClaimed } from './requirements/claimed.ts';
import type { BreakdownFacts, Cause } from './verdict/cause.ts';
import type { ScenarioHistory } from './verdict/scenario-history.ts';
import type { DiagnosisVerdict, Judgement, RequirementVerdict, Verdict } from './verdict/verdict.ts';

interface Context {
  readonly header: TraceHeader;
  readonly history: ScenarioHistory;
  readonly coverage: OperationCoverage;
  readonly infeasible: readonly InfeasibleRequirement[];
  readonly diagnoses: readonly Diagnosis[];
  readonly failures: Failures;
  readonly errata: AppliedErrata;
  readonly missing: ReturnType<EvidenceTracker['among']>;
  /** Exchanges whose refusal is in order: a choice permits it, or the account lacks the right. */
  readonly excusedRefusals: ReadonlySet<string>;
}

/**
 * Obstacles that may be in order on a target that conforms: a request that came too late for the state of its object, and
 * those of cassettes of version 0.1, of which no more is known than a text.
 */
const HARMLESS: readonly Obstacle['kind'][] = ['late', 'text'];

/** `cause` is null where evidence decides. */
interface Decision {
  readonly verdict: Verdict;
  readonly cause: Cause | null;
  readonly consequenceOf?: readonly string[];
  readonly faults?: readonly BreakdownFacts[];
}

/** The family that a requirement is reported under: the first of its families that is claimed, as others were not met. */
function familyOf({ families }: Requirement, { claims }: TraceHeader): string {
  return families.find((family) => claims.families.includes(family)) ?? families[0] ?? '';
}

type Blocker = Judgement['blockers'][number];

/** An obstacle with the exchanges that show it, by the requirements that each blocks, from the first one on. */
interface Obstruction {
  readonly obstacle: Blocker['obstacle'];
  readonly exchanges: Set<string>;
  requirements: number;
}

/** Decides the verdict of each rule by what was seen of it, and counts which obstacle blocked how many. */
export class VerdictBuilder {
  readonly #context: Context;
  readonly #diagnoses: DiagnosisVerdicts;
  readonly #breakdowns: BreakdownVerdicts;
  readonly #infeasibilityOf: (requirement: string) => InfeasibleRequirement | null;
  /** By obstacle: the same one shows in many exchanges. */
  readonly #blockers = new Map<string, Obstruction>();

  constructor(context: Context) {
    this.#context = context;
    this.#diagnoses = new DiagnosisVerdicts(context.diagnoses);
    this.#breakdowns = new BreakdownVerdicts(context.failures);
    this.#infeasibilityOf = infeasibilityIn(context.infeasible);
  }

  of(state: RequirementState): RequirementVerdict {
    const { requirement } = state;
    const { verdict, cause, consequenceOf, faults } =
      this.#leftOut(requirement) ??
      this.#notOffered(requirement) ??
      this.#seen(state) ??
      this.#undecided(state);
    const judged = verdict !== 'untested' && verdict !== 'error';
    const decided: RequirementVerdict = {
      id: requirement.id,
      kind: requirement.kind,
      family: familyOf(requirement, this.#context.header),
      operations: requirement.operations,
      level: requirement.level,
      basis: requirement.basis,
      spec: requirement.spec,
      says: requirement.says,
      verdict,
      cause,
      observations: judged ? state.observations : 0,
      baseline: null,
      findings: judged ? state.findings : [],
      findingsTotal: judged ? state.findingsTotal : 0,
    };
    // Thousands have neither, and need no copy.
    if (consequenceOf === undefined && faults === undefined) return decided;
    return {
      ...decided,
      ...(consequenceOf !== undefined && { consequenceOf }),
      ...(faults !== undefined && { faults }),
    };
  }

  /** Call after every `of`, with what these returned. */
  diagnoses(requirements: readonly RequirementVerdict[]): readonly DiagnosisVerdict[] {
    return this.#diagnoses.of(requirements);
  }

  /** Call after every `of`: root causes with how many requirements each blocked, the greatest first. */
  blockers(): Judgement['blockers'] {
    return [...this.#blockers]
      .toSorted(([a, one], [b, other]) => other.requirements - one.requirements || (a < b ? -1 : 1))
      .map(([, { obstacle, exchanges, requirements }]) => {
        const [exchange = ''] = exchanges;
        return { exchange, exchanges: exchanges.size, obstacle, requirements };
      });
  }

  #leftOut(requirement: Requirement): Decision | null {
    const { claims, filters } = this.#context.header;
    if (!isClaimed(requirement, claims)) return untested({ kind: 'not-claimed', family: null });
    const option = filteredBy(requirement, filters);
    // Without the filter it would be left out, too, and then for the claims: the filter changes nothing of that.
    if (option !== null && this.#context.history.isUnclaimed(requirement.id))
      return untested({ kind: 'not-claimed', family: null });
    // Without the globs: thousands of requirements would each repeat them.
    return option === null ? null : untested({ kind: 'filtered', by: { option, globs: [] } });
  }

  /** That the target does not offer an operation is reported once, with the operation. */
  #notOffered({ operations, side }: Requirement): Decision | null {
    const { coverage } = this.#context;
    if (side === 'client') return null;
    const nowhere = operations.length > 0 && operations.every((id) => coverage.notImplemented(id));
    return nowhere ? untested({ kind: 'not-implemented', operations: [] }) : null;
  }

  #seen(state: RequirementState): Decision | null {
    const { requirement } = state;
    if (state.fault !== null) return { verdict: 'error', cause: { kind: 'defect', message: state.fault } };
    if (state.findingsTotal > 0) {
      const absent = requirement.side === 'client' ? null : this.#absentOnly(state);
      if (absent !== null) return absent;
      return this.#broken(state);
    }
    if (state.excuse !== null) {
      const { id, reason } = state.excuse;
      return { verdict: 'excused', cause: { kind: 'erratum', id, reason } };
    }
    return state.observations > 0 ? { verdict: 'pass', cause: null } : null;
  }

  /** What fails only because requests are refused shares the fate of the causes: these may be excused. */
  #broken(state: RequirementState): Decision {
    const verdict = state.requirement.level === 'MUST' ? 'fail' : 'warn';
    const causes = this.#diagnoses.causesOf(state);
    if (causes.length === 0) {
      const faults = this.#breakdowns.faultsBehind(state);
      return { verdict, cause: null, ...(faults.length > 0 && { faults }) };
    }
    return this.#inConsequence({ verdict, cause: null }, causes);
  }

  /** What depends on causes alone shares their fate; other decisions stay as they are. */
  #inConsequence(decision: Decision, causes: readonly string[]): Decision {
    if (causes.length === 0) return decision;
    const excuses = causes.map((id) => this.#context.errata.excuseOfCause(id));
    const [first] = excuses;
    if (first === undefined || first === null || excuses.includes(null))
      return { ...decision, consequenceOf: causes };
    return { verdict: 'excused', cause: { kind: 'erratum', id: first.id, reason: first.reason } };
  }

  /** A missing operation is reported with that operation; requirements that relate others to it are not broken by it. */
  #absentOnly({ operationsAtFault }: RequirementState): Decision | null {
    const { coverage } = this.#context;
    const absent = [...operationsAtFault].flatMap((id) =>
      id !== null && coverage.notImplemented(id) ? [id] : [],
    );
    if (absent.length < operationsAtFault.size) return null;
    return untested({ kind: 'not-implemented', operations: absent });
  }

  /** A failure of the target that another run meets again is named as the cause. */
  #undecided(state: RequirementState): Decision {
    const decision = this.#unseen(state);
    const { verdict, cause } = decision;
    if (verdict !== 'inconclusive' || cause === null) return decision;
    return { ...decision, cause: this.#breakdowns.explain(state.requirement.id, cause) };
  }

  #unseen({ requirement, inconclusive, blocked }: RequirementState): Decision {
    const { history } = this.#context;
    // What became of a request and why no scenario sent it says nothing about the client.
    if (requirement.side === 'client') return UNSEEN;
    const absence = history.absence(requirement.id);
    if (absence?.kind === 'scenario-crashed') return { verdict: 'error', cause: absence };
    if (inconclusive !== null) return { verdict: 'inconclusive', cause: inconclusive };
    if (blocked !== null) return this.#blocked(requirement, { kind: 'blocked', ...blocked });
    const expected = this.#expected(requirement);
    if (expected !== null) return expected;
    if (absence?.kind === 'blocked') return this.#blocked(requirement, absence);
    if (absence?.kind === 'deadline') return { verdict: 'inconclusive', cause: absence };
    if (absence !== null) return untested(absence);
    const known = this.#infeasibilityOf(requirement.id);
    if (known !== null) return untested({ kind: 'not-feasible', says: known.reason });
    return this.#nothingArrived(requirement) ?? UNSEEN;
  }

  /** A scenario that shows the requirement on every target that conforms ran to its end, and showed nothing. */
  #expected(requirement: Requirement): Decision | null {
    const { coverage, missing } = this.#context;
    const expected = missing.from(requirement);
    if (expected === null) return null;
    const absent = requirement.operations.filter((id) => coverage.notImplemented(id));
    if (absent.length > 0) return untested({ kind: 'not-implemented', operations: absent });
    const nothing = this.#nothingArrived(requirement);
    if (nothing !== null) return nothing;
    const causes = this.#diagnoses.causesAmong(missing.refusedIn(expected.scenario));
    const failure =
      causes.length > 0
        ? null
        : this.#breakdowns.ofScenarios(missing.scenarios(requirement), requirement.operations);
    if (failure !== null) return { verdict: 'inconclusive', cause: failure };
    return this.#inConsequence({ verdict: 'inconclusive', cause: { kind: 'no-evidence', expected } }, causes);
  }

  /** Null where the answers of the operations arrived. */
  #nothingArrived({ operations }: Requirement): Decision | null {
    const unusable = this.#context.coverage.missed(operations);
    if (unusable === null) return null;
    const { fault, exchange, arrival } = unusable;
    return { verdict: 'inconclusive', cause: { kind: fault, exchange, arrival } };
  }

  #blocked(requirement: Requirement, cause: Extract<Cause, { readonly kind: 'blocked' }>): Decision {
    const { exchange, obstacle } = cause;
    const key = keyOf(obstacle);
    const known = this.#blockers.get(key) ?? { obstacle, exchanges: new Set(), requirements: 0 };
    known.exchanges.add(exchange);
    known.requirements += 1;
    this.#blockers.set(key, known);
    const causes = this.#diagnoses.causesAmong([exchange]);
    if (causes.length > 0) return this.#inConsequence(untested(cause), causes);
    return this.#isDoubt(requirement, cause) ? { verdict: 'inconclusive', cause } : untested(cause);
  }

  /** Whether the target, for no reason that is known, keeps a requirement from being judged that is judged elsewhere. */
  #isDoubt(requirement: Requirement, { exchange, obstacle }: Extract<Cause, { kind: 'blocked' }>): boolean {
    const { missing, excusedRefusals } = this.#context;
    if (HARMLESS.includes(obstacle.kind) || excusedRefusals.has(exchange)) return false;
    return missing.isExpected(requirement);
  }
}

/** The same for equal obstacles, whatever the order of their fields; by method and path first. */
function keyOf(obstacle: Obstacle): string {
  const facts = Object.entries(obstacle).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const place = 'method' in obstacle ? [obstacle.method, obstacle.path] : [];
  return JSON.stringify([...place, ...facts]);
}

/** By list, and then by id of the requirement. */
const lookups = new WeakMap<readonly InfeasibleRequirement[], Map<string, InfeasibleRequirement | null>>();

/** Says why no scenario can show evidence for a requirement; null for all others. Many traces are judged by the same list. */
function infeasibilityIn(
  infeasible: readonly InfeasibleRequirement[],
): (requirement: string) => InfeasibleRequirement | null {
  const lookup = lookups.get(infeasible) ?? new Map<string, InfeasibleRequirement | null>();
  lookups.set(infeasible, lookup);
  return (requirement) => {
    const known = lookup.get(requirement);
    if (known !== undefined) return known;
    const found = infeasible.find(({ id }) => matchesGlob(id, requirement)) ?? null;
    lookup.set(requirement, found);
    return found;
  };
}

function untested(cause: Cause): Decision {
  return { verdict: 'untested', cause };
}

/** One for all: short traffic shows nothing of thousands of requirements. */
const UNSEEN: Decision = untested({ kind: 'no-evidence' });
