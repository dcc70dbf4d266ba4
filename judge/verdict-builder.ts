import { matchesGlob } from '../exchange/glob.ts';
import type { Obstacle } from '../exchange/note.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { getOrMake } from '../schemas/maps.ts';
import type { JudgedTraffic } from './judged-traffic.ts';
import type { RequirementState } from './requirement-state.ts';
import type { AcceptanceFacts } from './requirements/acceptance-facts.ts';
import type { InfeasibleRequirement, Requirement } from './requirements/catalogue.ts';
import type { RefusalCauses } from './requirements/refusal-causes.ts';
import { excludingOption, isClaimed } from './requirements/selection.ts';
import type { BreakdownFacts, Cause } from './verdict/cause.ts';
import { isBroken } from './verdict/failure-count.ts';
import type { DiagnosisVerdict, Judgement, RequirementVerdict, Verdict } from './verdict/verdict.ts';

/** Results of `infeasibilityIn` by list, because many traces are judged with the same list. */
const lookups = new WeakMap<readonly InfeasibleRequirement[], Map<string, InfeasibleRequirement | null>>();
/** One shared object, because short traffic leaves thousands of requirements without evidence. */
const UNSEEN: Decision = untested({ kind: 'no-evidence' });

export interface Decision {
  readonly verdict: Verdict;
  /** Null for `pass`, `fail` and `warn`. */
  readonly cause: Cause | null;
  /** Ids of the causes that completely explain the verdict, such as `createChatCompletion:accepts#body.n>1`. */
  readonly consequenceOf?: readonly string[];
  /** Faults of the service behind a failure; absent unless every finding shows one. */
  readonly faults?: readonly BreakdownFacts[];
}

/** Implemented in `explain/`, which this folder must not import. */
export interface Explainer {
  explainRefusals(facts: AcceptanceFacts): RefusalCauses;
  explainVerdicts(facts: JudgedTraffic): VerdictCauses;
}

export interface VerdictCauses {
  explainFailure(state: RequirementState, decision: Decision): Decision;
  /** Decides a requirement without evidence; null if no completed scenario was expected to show it. */
  explainMissingEvidence(requirement: Requirement): Decision | null;
  explainBlocked(requirement: Requirement, cause: Extract<Cause, { readonly kind: 'blocked' }>): Decision;
  explainInconclusive(requirement: Requirement, decision: Decision): Decision;
  diagnoses(requirements: readonly RequirementVerdict[]): readonly DiagnosisVerdict[];
}

interface Obstruction {
  readonly obstacle: Obstacle;
  readonly exchanges: Set<string>;
  requirements: number;
}

export class VerdictBuilder {
  readonly #facts: JudgedTraffic;
  readonly #causes: VerdictCauses;
  readonly #infeasibilityOf: (requirement: string) => InfeasibleRequirement | null;
  /** By obstacle, because many exchanges may show the same obstacle. */
  readonly #blockers = new Map<string, Obstruction>();

  constructor(facts: JudgedTraffic, causes: VerdictCauses) {
    this.#facts = facts;
    this.#causes = causes;
    this.#infeasibilityOf = infeasibilityIn(facts.catalogue.infeasible);
  }

  /** Call it once for each state, because it counts blockers. */
  decide(state: RequirementState): RequirementVerdict {
    const { requirement } = state;
    const { verdict, cause, consequenceOf, faults } =
      this.#decideExcluded(requirement) ??
      this.#decideNotOffered(requirement) ??
      this.#decideByEvidence(state) ??
      this.#decideWithoutEvidence(state);
    const isJudged = verdict !== 'untested' && verdict !== 'error';
    // A failure that the same requests show each time is not due to chance, even if a model decides.
    const byChance = isBroken({ verdict }) && requirement.byChance === true && state.hasMixedOutcomes;
    return {
      id: requirement.id,
      kind: requirement.kind,
      family: familyOf(requirement, this.#facts.header),
      operations: requirement.operations,
      level: requirement.level,
      basis: requirement.basis,
      spec: requirement.spec,
      says: requirement.says,
      verdict,
      cause,
      observations: isJudged ? state.observations : 0,
      ...(verdict === 'pass' && { shownBy: state.shownBy }),
      baseline: null,
      findings: isJudged ? state.findings : [],
      findingsTotal: isJudged ? state.findingsTotal : 0,
      ...(consequenceOf !== undefined && { consequenceOf }),
      ...(faults !== undefined && { faults }),
      ...(byChance && { byChance }),
      ...(isJudged && state.isProvoked && { provoked: true }),
    };
  }

  /** The obstacles, those that block the most requirements first. Call it after `decide` has seen all states. */
  blockers(): Judgement['blockers'] {
    return [...this.#blockers]
      .toSorted(([a, one], [b, other]) => other.requirements - one.requirements || (a < b ? -1 : 1))
      .map(([, { obstacle, exchanges, requirements }]) => {
        const [exchange = ''] = exchanges;
        return { exchange, exchanges: exchanges.size, obstacle, requirements };
      });
  }

  #decideExcluded(requirement: Requirement): Decision | null {
    const { header, history } = this.#facts;
    const { claims, filters } = header;
    if (!isClaimed(requirement, claims)) return untested({ kind: 'not-claimed', family: null });
    const option = excludingOption(requirement, filters);
    // Even without the filter, the requirement would not be claimed.
    if (option !== null && history.isUnclaimed(requirement.id))
      return untested({ kind: 'not-claimed', family: null });
    // Globs are omitted, because thousands of requirements would repeat them.
    return option === null ? null : untested({ kind: 'filtered', by: { option, globs: [] } });
  }

  /** A missing operation is reported once, not with each of its requirements. */
  #decideNotOffered({ operations, side }: Requirement): Decision | null {
    if (side === 'client') return null;
    const isMissing =
      operations.length > 0 && operations.every((id) => this.#facts.coverage.isNotImplemented(id));
    return isMissing ? untested({ kind: 'not-implemented', operations: [] }) : null;
  }

  #decideByEvidence(state: RequirementState): Decision | null {
    const { requirement } = state;
    const fault = state.first('fault');
    if (fault !== null) return { verdict: 'error', cause: { kind: 'defect', message: fault } };
    if (state.findingsTotal > 0) {
      const absent = requirement.side === 'client' ? null : this.#decideUnimplemented(state);
      if (absent !== null) return absent;
      const verdict = requirement.level === 'MUST' ? 'fail' : 'warn';
      return this.#causes.explainFailure(state, { verdict, cause: null });
    }
    const excuse = state.first('excuse');
    if (excuse !== null)
      return { verdict: 'excused', cause: { kind: 'erratum', id: excuse.id, reason: excuse.reason } };
    return state.observations > 0 ? { verdict: 'pass', cause: null } : null;
  }

  /** The decision if the target lacks all operations with findings, which then say nothing about other operations. */
  #decideUnimplemented({ operationsAtFault }: RequirementState): Decision | null {
    const { coverage } = this.#facts;
    const absent = [...operationsAtFault].flatMap((id) =>
      id !== null && coverage.isNotImplemented(id) ? [id] : [],
    );
    if (absent.length < operationsAtFault.size) return null;
    return untested({ kind: 'not-implemented', operations: absent });
  }

  #decideWithoutEvidence(state: RequirementState): Decision {
    const decision = this.#decideByAbsence(state);
    return decision.verdict === 'inconclusive'
      ? this.#causes.explainInconclusive(state.requirement, decision)
      : decision;
  }

  #decideByAbsence(state: RequirementState): Decision {
    const { requirement } = state;
    // Neither the outcomes of requests nor skipped scenarios say anything about the client.
    if (requirement.side === 'client') return UNSEEN;
    const absence = this.#facts.history.absence(requirement.id);
    if (absence?.kind === 'scenario-crashed') return { verdict: 'error', cause: absence };
    const inconclusive = state.first('inconclusive');
    if (inconclusive !== null) return { verdict: 'inconclusive', cause: inconclusive };
    const blocked = state.first('blocked');
    if (blocked !== null) return this.#decideBlocked(requirement, { kind: 'blocked', ...blocked });
    const missing = this.#causes.explainMissingEvidence(requirement);
    if (missing !== null) return missing;
    if (absence?.kind === 'blocked') return this.#decideBlocked(requirement, absence);
    if (absence?.kind === 'deadline') return { verdict: 'inconclusive', cause: absence };
    if (absence !== null && absence.kind !== 'stopped') return untested(absence);
    const infeasible = this.#infeasibilityOf(requirement.id);
    if (infeasible !== null) return untested({ kind: 'not-feasible', says: infeasible.reason });
    return decideUnusable(this.#facts, requirement) ?? (absence === null ? UNSEEN : untested(absence));
  }

  #decideBlocked(requirement: Requirement, cause: Extract<Cause, { readonly kind: 'blocked' }>): Decision {
    const { exchange, obstacle } = cause;
    // The key ignores the order of fields, and sorts by method and path.
    const facts = Object.entries(obstacle).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const place = 'method' in obstacle ? [obstacle.method, obstacle.path] : [];
    const key = JSON.stringify([...place, ...facts]);
    const create = (): Obstruction => ({ obstacle, exchanges: new Set(), requirements: 0 });
    const obstruction = getOrMake(this.#blockers, key, create);
    obstruction.exchanges.add(exchange);
    obstruction.requirements += 1;
    return this.#causes.explainBlocked(requirement, cause);
  }
}

function familyOf({ families }: Requirement, { claims }: TraceHeader): string {
  return families.find((family) => claims.families.includes(family)) ?? families[0] ?? '';
}

/** Inconclusive if an operation returned an unusable body or stream and no complete one of the same form; else null. */
export function decideUnusable(
  { coverage }: Pick<JudgedTraffic, 'coverage'>,
  { operations }: Requirement,
): Decision | null {
  const unusable = coverage.findUnusableResponse(operations);
  if (unusable === null) return null;
  const { fault, exchange, arrival } = unusable;
  return { verdict: 'inconclusive', cause: { kind: fault, exchange, arrival } };
}

function infeasibilityIn(
  infeasible: readonly InfeasibleRequirement[],
): (requirement: string) => InfeasibleRequirement | null {
  const lookup = getOrMake(lookups, infeasible, () => new Map());
  return (requirement) =>
    getOrMake(lookup, requirement, () => infeasible.find(({ id }) => matchesGlob(id, requirement)) ?? null);
}

export function untested(cause: Cause): Decision {
  return { verdict: 'untested', cause };
}
