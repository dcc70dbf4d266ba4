import type { Exchange } from '../../exchange/exchange.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import type { TraceHeader, TraceItem } from '../../exchange/trace.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { Evaluator, EvidenceListener, ResultSink } from './evaluator.ts';
import type {
  Basis,
  BehaviourRequirement,
  Choice,
  Evidence,
  Exclusion,
  Level,
  RequirementKind,
  Violation,
} from './requirement.ts';

export interface Requirement {
  /** `files.delete.tells-id`, `file:bytes#type` or `createFile:accepts`; public, and distinct in a catalogue. */
  readonly id: string;
  readonly kind: RequirementKind;
  /** Reported under the first that is claimed, or under the first of all if none is. */
  readonly families: readonly string[];
  /** Ids of the operations whose calls can show it. */
  readonly operations: readonly string[];
  /** A violated MUST is a failure; a violated SHOULD is a warning. */
  readonly level: Level;
  readonly basis: Basis;
  readonly spec: string;
  /** One sentence in the present tense; reports print it. */
  readonly says: string;
  /** Set for requirements on the client; all others judge the service. */
  readonly side?: 'client';
  /** Set if chance decides whether a run shows that a service breaks it: a model's output, or the clock. */
  readonly byChance?: true;
}

export interface ShownViolation {
  /** The violated requirement; always one that is claimed and that no filter leaves out. */
  readonly requirement: Requirement;
  readonly violation: Violation;
  /** Id of the exchange that shows it; null if none does. */
  readonly exchange: string | null;
  /** The exchanges to show; empty if only one line is printed. */
  readonly evidence: readonly Exchange[];
}

export interface RequirementSet {
  /** The source: response schemas, request constraints, valid requests, duties of a client, or suites. */
  readonly origin: 'schema' | 'probe' | 'acceptance' | 'request' | 'behaviour';
  /** Ids are distinct across all sets of a catalogue. */
  readonly requirements: readonly Requirement[];
  /** The handwritten requirements; set if `origin` is `behaviour`. */
  readonly behaviours?: readonly BehaviourRequirement<Evidence>[];
  /** Creates an evaluator. `only`: id of the only requirement that is needed, as a hint. */
  open(sink: ResultSink, only?: string): Evaluator;
  /** Used instead of `open` when all requirements are judged, so that sets can share selectors. */
  evidenceListeners?(sink: ResultSink): readonly EvidenceListener[];
  /** Narrows the set to requirements for which calls of these operations can be evidence. */
  touching?(operations: ReadonlySet<string>): RequirementSet;
  /** Compiles in steps ahead of time, so that the first trace need not wait. */
  prepare?(): Iterable<unknown>;
}

export interface ScenarioTraits {
  /** `completions.stop`; in an extension it begins with the name of the extension. */
  readonly name: string;
  /** Requirements and choices for which it provides evidence; null if unknown. */
  readonly shows: ReadonlySet<string> | null;
}

export interface InfeasibleRequirement {
  /** Pattern for requirement ids, with `*`. */
  readonly id: string;
  /** A sentence without a full stop; reports print it for the untested requirement. */
  readonly reason: string;
}

/** A change of a whole trace that violates nothing in the specification. */
export interface EquivalentMutant {
  /** Unique; reports name it. */
  readonly name: string;
  /** Returns unaffected items unchanged, in the same positions. */
  readonly apply: (items: readonly TraceItem[]) => readonly TraceItem[];
  /** True if requirements may lose their evidence: verdicts may then become untested, but never fail. */
  readonly blinds?: boolean;
  /** Public report of a service with this behaviour: `owner/repository#number` of an issue or pull request. */
  readonly filed?: string;
}

/** A kind of mutation that may survive the mutation proof, or yield no mutant, with the reason. */
export interface EquivalentMutantException {
  /** Pattern for requirement ids, with `*`. */
  readonly id: string;
  /** `refused` for acceptance; the name in `mutations` for a handwritten requirement. */
  readonly kind: string;
  /** A sentence without a full stop. */
  readonly reason: string;
  /** First day on which the exception no longer holds, as YYYY-MM-DD; null for a permanent one. */
  readonly expires: string | null;
}

export interface StateMachine {
  /** Caption in reports: `Vector store file`. */
  readonly name: string;
  readonly spec: string;
  /** Values of the field `object` to which it applies: `vector_store.file`. */
  readonly objects: readonly string[];
  /** Operations whose response is a new object. An event whose name ends in `.created` also carries one. */
  readonly createdBy: readonly string[];
  readonly states: readonly string[];
  /** Transitions that the specification states; `from` is null before the object exists. */
  readonly transitions: readonly (readonly [from: string | null, to: string])[];
}

/** The evidence that the scenarios of one version of assay provide on every conforming target; generated from runs. */
export interface ExpectedEvidence {
  /** Nothing is expected of traces of other versions. */
  readonly version: string;
  /** Scenarios by requirement; each of them is enough to show it. */
  readonly scenarios: ReadonlyMap<string, readonly string[]>;
}

/** Requirements whose evidence depends on a free decision, so its absence shows nothing. */
export interface FreeEvidence {
  /** Pattern for requirement ids, with `*`. */
  readonly free: string;
  /** Who decides: the model, or the service in front of it. */
  readonly decides: 'model' | 'service';
  /** A sentence without a full stop. */
  readonly reason: string;
}

export interface Catalogue {
  readonly requirementSets: readonly RequirementSet[];
  readonly choices: readonly Choice<Evidence>[];
  readonly exclusions: readonly Exclusion[];
  /** Without evidence, a matching requirement is untested for the reason of the first match. */
  readonly infeasible: readonly InfeasibleRequirement[];
  /** Mutants that the mutation proof need not kill; the first match applies. Absent for none. */
  readonly exceptions?: readonly EquivalentMutantException[];
  readonly equivalentMutants: readonly EquivalentMutant[];
  /** Scenarios whose notes in a trace explain why a requirement has no evidence. */
  readonly scenarios: readonly ScenarioTraits[];
  /** Absent if no evidence is expected of scenarios. */
  readonly expectedEvidence?: ExpectedEvidence;
  /** The first match applies. */
  readonly freeEvidence?: readonly FreeEvidence[];
  /** Followed through a trace; reported, never judged. */
  readonly stateMachines?: readonly StateMachine[];
}

const requirementsByCatalogue = new WeakMap<Catalogue, ReadonlyMap<string, Requirement>>();

/** Sorted by id. Throws if two requirements share an id. */
export function requirementsOf(catalogue: Catalogue): ReadonlyMap<string, Requirement> {
  return getOrMake(requirementsByCatalogue, catalogue, () => {
    const requirements = new Map<string, Requirement>();
    for (const requirement of catalogue.requirementSets.flatMap((set) => set.requirements)) {
      if (requirements.has(requirement.id))
        throw new Error(`Two requirements have the id ${requirement.id}.`);
      requirements.set(requirement.id, requirement);
    }
    return new Map([...requirements].sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Null if no evidence is known for the recording version. */
export function expectedEvidenceOf(
  { expectedEvidence }: Catalogue,
  { tool }: Pick<TraceHeader, 'tool'>,
): ExpectedEvidence | null {
  return expectedEvidence?.version === tool.version ? expectedEvidence : null;
}

export function freeEvidenceOf(free: readonly FreeEvidence[], id: string): FreeEvidence | undefined {
  return free.find((one) => matchesGlob(one.free, id));
}

export interface SuppressingAlternative {
  readonly id: string;
  /** The alternative as reported, which need not be a listed one. */
  readonly alternative: string;
  readonly patterns: readonly string[];
}

export function suppressingAlternatives(
  choices: readonly Choice<Evidence>[],
  taken: ReadonlyMap<string, readonly string[]>,
): readonly SuppressingAlternative[] {
  return choices.flatMap((choice) => {
    const all = taken.get(choice.id) ?? [];
    // A target may name an alternative like a property of every object.
    const patternsByAlternative = new Map(Object.entries(choice.takesAway ?? {}));
    if (all.some((alternative) => alternativeNamed(choice, alternative) === choice.unless)) return [];
    return all.flatMap((alternative) => {
      const patterns = patternsByAlternative.get(alternativeNamed(choice, alternative)) ?? [];
      return patterns.length === 0 ? [] : [{ id: choice.id, alternative, patterns }];
    });
  });
}

/** Maps a reported name to a listed alternative; returns the name itself if it matches none. */
export function alternativeNamed(
  { alternatives, unlisted }: Pick<Choice<Evidence>, 'alternatives' | 'unlisted'>,
  name: string,
): string {
  return alternatives.includes(name) ? name : (unlisted ?? name);
}

/** A MUST whose evidence depends on what the model or service is free to decide; without evidence it is untested. */
export interface FreeRequirement extends Pick<FreeEvidence, 'decides' | 'reason'> {
  readonly requirement: string;
}

/** Cached, because `freeRequirements` matches thousands of ids with patterns. */
const freeByCatalogue = new WeakMap<Catalogue, readonly FreeRequirement[]>();

export function freeRequirements(catalogue: Catalogue): readonly FreeRequirement[] {
  return getOrMake(freeByCatalogue, catalogue, () =>
    [...requirementsOf(catalogue).values()].flatMap(({ id, level }) => {
      const free = level === 'MUST' ? freeEvidenceOf(catalogue.freeEvidence ?? [], id) : undefined;
      return free === undefined ? [] : [{ requirement: id, decides: free.decides, reason: free.reason }];
    }),
  );
}
