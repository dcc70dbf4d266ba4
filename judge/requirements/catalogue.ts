// The catalogue: everything that a trace is judged by, and the interfaces between requirements, evaluators and
// mutation testing.
import type { Exchange } from '../../exchange/exchange.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import type { Obstacle } from '../../exchange/note.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { Failures } from '../../explain/breakdown-verdicts.ts';
import type { Diagnosis } from '../../explain/diagnosis.ts';
import type { EquivalentMutant } from '../../proof/equivalent-mutants/equivalent-mutant.ts';
import type { AcceptancePart } from '../acceptance/acceptance-tally.ts';
import type { StateMachine } from '../coverage/state-machines.ts';
import type { VocabularySide } from '../dialects/dialect.ts';
import type { EvidenceListener } from '../evidence/selector-dispatch.ts';
import type { RequestViolation } from '../probe/unlabelled-violations.ts';
import type { Call } from '../trace/call.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import type { Needed } from './needed.ts';
import type {
  Basis,
  Choice,
  Evidence,
  Exclusion,
  Level,
  RequirementKind,
  Supposition,
  Violation,
} from './requirement.ts';

/** A requirement as it is listed, whatever judges it. */
export interface Requirement {
  readonly id: string;
  readonly kind: RequirementKind;
  /** The first that is claimed names the family that it is reported under; claimed when any of them is. */
  readonly families: readonly string[];
  readonly operations: readonly string[];
  readonly level: Level;
  readonly basis: Basis;
  readonly spec: string;
  readonly says: string;
  /** Set for requirements on requests; all others judge the service. */
  readonly side?: 'client';
}

/** Receives the results of evaluators. Ids are those of the evaluator's requirements. */
export interface ResultSink {
  readonly header: TraceHeader;
  observe(id: string, times: number): void;
  /** `evidence`: the exchanges that show the violation; the last of them unless the violation names another. */
  report(id: string, violation: Violation, evidence: readonly Exchange[]): void;
  /** The evidence for this requirement is missing because of this exchange. */
  block(id: string, exchange: string, obstacle: Obstacle): void;
  /** These exchanges come near to the evidence of this requirement: they meet so many of its conditions, and not the next. */
  missed?(id: string, exchanges: readonly Exchange[], met: number): void;
  /** The target complies with this requirement somewhere. */
  showCompliance?(id: string): void;
  /** Receives results of one requirement that count only if the supposition turns out to be true. */
  supposing?(id: string, supposition: Supposition, evidence: readonly Exchange[]): ResultSink;
  /** Why a target refuses valid requests: other requirements that fail by the same requests are its consequences. */
  diagnose(diagnosis: Diagnosis): void;
  /**
   * Takes note of what a request says beyond the specification; returns the violations that no dialect permits. `side`: whether
   * the target accepted it, or what the client sends is judged.
   */
  remaining?(
    call: Call,
    violations: readonly RequestViolation[],
    side: VocabularySide,
  ): readonly RequestViolation[];
  /** Refused exchanges of which a choice permits the refusal, or an account lacks the right: evidence that they block is not expected. */
  excuse(exchanges: Iterable<string>): void;
  /** Failures of the target: what requests that fail each time have in common. Absent where no cause rests on it. */
  explainFailures?(failures: Failures): void;
  /** The check threw: a defect of assay. */
  fail(id: string, error: unknown): void;
}

/** Judges many requirements of one kind in one pass over a trace. */
export interface Evaluator {
  /** True where it receives answers that were spoiled on purpose as well: it judges what a client does after them. */
  readonly seesSpoiled?: true;
  call(call: Call): void;
  /** A call whose path is spelled in the other way: only choices look at it. */
  elsewhere?(call: Call): void;
  /** An exchange that calls no operation. */
  download?(exchange: Exchange): void;
  /** A call outside the specification that may have changed objects: nothing is demanded of them by what came before. */
  outside?(call: OutsideCall): void;
  /** A choice permits that this exchange was refused. Its call may already have been received, or follows. */
  permit?(exchange: string): void;
  /**
   * A call that is judged in another part of the traffic: it is remembered as far as later calls are judged by it, and nothing
   * is reported of it. An evaluator without this judges each call by itself.
   */
  context?(call: Call): void;
  /**
   * What follows is of another trace; an evaluator without it is finished and opened anew. `before`: how many exchanges came
   * before, in all parts of the traffic.
   */
  next?(before?: number): void;
  /** The trace is over: reports what is known only now. */
  finish(): void;
  /** The content of a partial verdict, where what it reports depends on all parts of the traffic. After `finish`. */
  part?(): AcceptancePart;
  /** Adds another part of the traffic. */
  absorb?(part: AcceptancePart): void;
  /** All parts are there: reports what depends on them. */
  conclude?(): void;
}

/** Requirements of one kind, their evaluator, and their mutants. */
export interface RequirementSet {
  readonly requirements: readonly Requirement[];
  /** `only` narrows the evaluator to one requirement, where that is possible. */
  open(sink: ResultSink, only?: string): Evaluator;
  /** In place of an evaluator where all requirements are judged: the selectors that they listen to, shared with other sets. */
  evidenceListeners?(sink: ResultSink): readonly EvidenceListener[];
  /** Its requirements for which calls of these operations can be evidence; itself where it makes no difference. */
  touching?(operations: ReadonlySet<string>): RequirementSet;
  /** The evidence that shows a requirement. `met`: how many conditions the nearest evidence met; undefined without any. */
  needed?(id: string, met: number | undefined): Needed | null;
  /** Does step by step what the first trace would have to wait for. */
  prepare?(): Iterable<unknown>;
  /** Every kind of mutation that violates one of its requirements: of each kind a mutant has to be killed. */
  kinds(id: string): readonly string[];
  /** Mutants of a trace without findings, each with one change. */
  mutants(baseline: BaselineTrace): Iterable<Mutant>;
}

/** A trace without findings, of which mutants are made. */
export interface BaselineTrace {
  readonly header: TraceHeader;
  readonly exchanges: readonly Exchange[];
  /** Calls of the operations, in the order in which they ended. */
  calls(operations: readonly string[]): readonly Call[];
  /** Requirements with evidence in this trace, for which mutants are wanted. */
  readonly proved: ReadonlySet<string>;
}

/** A changed trace, reduced to the exchanges that concern its requirement. */
export interface Mutant {
  /** Id of the requirement that has to fail. */
  readonly requirement: string;
  /** Its kind, see `proof/mutants/mutation-kinds.ts`. */
  readonly kind: string;
  /** A description of the mutation; unique among the mutants of a requirement. */
  readonly name: string;
  /** Null where the mutation found nothing that it applies to. */
  readonly exchanges: readonly Exchange[] | null;
  /** The same in a longer trace, where this one turns out too short to show anything. */
  readonly longer?: () => readonly Exchange[] | null;
}

/** The part of a scenario that the judge needs: the requirements for which it provides evidence. */
export interface ScenarioTraits {
  readonly name: string;
  /** Ids of requirements and choices; null where that is not known yet. */
  readonly shows: ReadonlySet<string> | null;
}

/** Requirements that no scenario can make evidence for on any target, and why. */
export interface InfeasibleRequirement {
  /** Requirement id, with `*`. */
  readonly id: string;
  readonly reason: string;
}

/** A kind of mutation that cannot be applied to a trace of the reference, and why. */
export interface EquivalentMutantException {
  /** Requirement id, with `*`. */
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  /** The day, as YYYY-MM-DD, from which it does not hold any more; null where it can never be tried. */
  readonly expires: string | null;
}

/** Everything that a trace can be judged by. */
export interface Catalogue {
  readonly requirementSets: readonly RequirementSet[];
  readonly choices: readonly Choice<Evidence>[];
  readonly exclusions: readonly Exclusion[];
  readonly infeasible: readonly InfeasibleRequirement[];
  readonly exceptions?: readonly EquivalentMutantException[];
  /** Changes of a trace on which no requirement may fail, beside the general ones. */
  readonly equivalentMutants: readonly EquivalentMutant[];
  readonly scenarios: readonly ScenarioTraits[];
  /** Which scenario shows which requirement; absent where a run without evidence says nothing. */
  readonly expectedEvidence?: ExpectedEvidence;
  /** Requirements that are never expected to be shown. */
  readonly freeEvidence?: readonly FreeEvidence[];
  /** States to be followed through a trace, for people to look at. */
  readonly stateMachines?: readonly StateMachine[];
}

const sorted = new WeakMap<Catalogue, ReadonlyMap<string, Requirement>>();

/** Every requirement of a catalogue, by id. Throws when two have the same id. */
export function requirementsOf(catalogue: Catalogue): ReadonlyMap<string, Requirement> {
  let requirements = sorted.get(catalogue);
  if (requirements === undefined) {
    requirements = sortedRequirements(catalogue);
    sorted.set(catalogue, requirements);
  }
  return requirements;
}

function sortedRequirements(catalogue: Catalogue): ReadonlyMap<string, Requirement> {
  const requirements = new Map<string, Requirement>();
  for (const requirement of catalogue.requirementSets.flatMap((set) => set.requirements)) {
    if (requirements.has(requirement.id)) throw new Error(`Two requirements have the id ${requirement.id}.`);
    requirements.set(requirement.id, requirement);
  }
  return new Map([...requirements].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// Which scenario of a run shows which requirement, as known before the run: generated from runs on the reference.

/** The evidence that scenarios of one version of assay provide on every target that conforms. */
export interface ExpectedEvidence {
  /** Version of assay that has these scenarios: traces of other versions expect nothing. */
  readonly version: string;
  /** Names of the scenarios, each of which shows the requirement alone, by id of the requirement. */
  readonly scenarios: ReadonlyMap<string, readonly string[]>;
}

/** Requirements whose evidence rests on a free decision, so that a run that does not show it says nothing. */
export interface FreeEvidence {
  /** Requirement id, with `*`. */
  readonly free: string;
  /** Who decides: the model that answers, or the service in front of it. */
  readonly decides: 'model' | 'service';
  /** The decision, as a sentence without a full stop. */
  readonly reason: string;
}

/** The declaration that a requirement's evidence is free; undefined where it is expected. */
export function freeEvidenceOf(free: readonly FreeEvidence[], id: string): FreeEvidence | undefined {
  return free.find((one) => matchesGlob(one.free, id));
}

/** Patterns of the requirements that are left without evidence by the alternatives that the target takes. */
export function takenAway(
  choices: readonly Choice<Evidence>[],
  taken: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return choices.flatMap((choice) =>
    (taken.get(choice.id) ?? []).flatMap((name) => choice.takesAway?.[alternativeNamed(choice, name)] ?? []),
  );
}

/** The alternative of the ledger that a name as reported is, or counts as; the name itself where it counts as none. */
export function alternativeNamed(
  { alternatives, unlisted }: Pick<Choice<Evidence>, 'alternatives' | 'unlisted'>,
  name: string,
): string {
  return alternatives.includes(name) ? name : (unlisted ?? name);
}

// The declarations of free evidence, spelled out for each requirement, as reports list them.

/** A MUST whose evidence rests on a free decision: where nothing shows it, it is untested. */
export interface FreeRequirement extends Pick<FreeEvidence, 'decides' | 'reason'> {
  /** Id of the requirement. */
  readonly requirement: string;
}

/** The MUSTs of a catalogue whose evidence is free, sorted by id. */
export function freeRequirements(catalogue: Catalogue): readonly FreeRequirement[] {
  const found = known.get(catalogue) ?? find(catalogue);
  known.set(catalogue, found);
  return found;
}

/** Thousands of ids are compared with patterns: once for all reports of a process. */
const known = new WeakMap<Catalogue, readonly FreeRequirement[]>();

function find(catalogue: Catalogue): readonly FreeRequirement[] {
  return [...requirementsOf(catalogue).values()].flatMap(({ id, level }) => {
    const free = level === 'MUST' ? freeEvidenceOf(catalogue.freeEvidence ?? [], id) : undefined;
    return free === undefined ? [] : [{ requirement: id, decides: free.decides, reason: free.reason }];
  });
}
