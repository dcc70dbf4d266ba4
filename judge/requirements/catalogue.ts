// Everything that a trace can be judged by, and the interfaces between requirements, their evaluators and the judge.
import type { Exchange } from '../../exchange/exchange.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import type { Obstacle } from '../../exchange/note.ts';
import type { TraceHeader, TraceItem } from '../../exchange/trace.ts';
import type { Json } from '../../schemas/json.ts';
import type { Call } from '../trace/call.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import type { AcceptanceFacts, RefusalCauses } from './refusals.ts';
import type {
  Basis,
  BehaviourRequirement,
  Choice,
  Evidence,
  Exclusion,
  Level,
  RequirementKind,
  Selector,
  Supposition,
  Violation,
} from './requirement.ts';

/** A requirement as it is listed, whatever judges it. */
export interface Requirement {
  readonly id: string;
  readonly kind: RequirementKind;
  /** Claimed if any of these families is; reported under the first claimed one. */
  readonly families: readonly string[];
  readonly operations: readonly string[];
  readonly level: Level;
  readonly basis: Basis;
  readonly spec: string;
  readonly says: string;
  /** Set for requirements on requests; all others judge the service. */
  readonly side?: 'client';
}

/** A constraint that a request violates. */
export interface RequestViolation {
  /** Id of the requirement that the request is rejected. */
  readonly id: string;
  readonly of: {
    /** Operation, with its variant. */
    readonly subject: string;
    readonly pointer: string;
    readonly keyword: string;
  };
  /** JSON pointer in the body, or `query NAME`. */
  readonly at: string;
  readonly expected: string;
  readonly actual: Json | undefined;
}

/** The side that a request is evidence about: the target that accepted it, or the client that sent it. */
export type VocabularySide = 'server' | 'client';

/** Receives the results of evaluators. Ids are those of the evaluator's requirements. */
export interface ResultSink {
  readonly header: TraceHeader;
  observe(id: string, times: number): void;
  /** `evidence`: the exchanges that show the violation; the last one does unless the violation names another. */
  report(id: string, violation: Violation, evidence: readonly Exchange[]): void;
  /** The evidence for this requirement is missing because of this exchange. */
  block(id: string, exchange: string, obstacle: Obstacle): void;
  /** These exchanges are nearly evidence of this requirement: they meet its first `met` conditions, but not the next one. */
  missed?(id: string, exchanges: readonly Exchange[], met: number): void;
  /** The target complies with this requirement somewhere. */
  showCompliance?(id: string): void;
  /** Receives results of one requirement that count only if the supposition turns out to be true. */
  supposing?(id: string, supposition: Supposition, evidence: readonly Exchange[]): ResultSink;
  /** Finds out why valid requests were refused or failed. Requirements that fail by the same requests are its consequences. */
  explainRefusals(facts: AcceptanceFacts): RefusalCauses;
  /**
   * Records what a request says beyond the specification; returns the violations that no dialect permits. `side`: whether
   * the target accepted the request, or what the client sends is judged.
   */
  remaining?(
    call: Call,
    violations: readonly RequestViolation[],
    side: VocabularySide,
  ): readonly RequestViolation[];
  /** Refused exchanges whose refusal is permitted by a choice or due to a missing right: evidence that they block is not expected. */
  excuse(exchanges: Iterable<string>): void;
  /** The check threw: a defect of assay. */
  fail(id: string, error: unknown): void;
}

/** Judges many requirements of one kind in one pass over a trace. */
export interface Evaluator {
  /** True if it also receives responses that were disturbed on purpose, because it judges how a client reacts to them. */
  readonly seesSpoiled?: true;
  call(call: Call): void;
  /** A call under the alternative spelling of its path: only choices look at it. */
  elsewhere?(call: Call): void;
  /** An exchange that calls no operation. */
  download?(exchange: Exchange): void;
  /** A call outside the specification that may have changed objects: what came before it demands nothing of them any more. */
  outside?(call: OutsideCall): void;
  /** A choice permits that this exchange was refused. Its call may come before or after. */
  permit?(exchange: string): void;
  /**
   * A call that another part of the traffic judges: it is remembered if later calls are judged by it, and never reported.
   * An evaluator without this method judges each call by itself.
   */
  context?(call: Call): void;
  /**
   * Another trace follows; an evaluator without this method is finished and opened anew. `before`: how many exchanges came
   * before it, in all parts of the traffic.
   */
  next?(before?: number): void;
  /** The trace is over: reports what is known only now. */
  finish(): void;
  /** All parts of the traffic have been added: reports what depends on them. */
  conclude?(): void;
}

/** A requirement or choice that wants the evidence of a selector. */
export interface EvidenceListener {
  readonly selector: Selector<Evidence>;
  receive(evidence: Evidence): void;
  /** Evidence that another part of the traffic judges. */
  receiveForeign?(evidence: Evidence): void;
  /** Evidence that meets the first `met` conditions of the selector, but not the next one. */
  miss?(evidence: Evidence, met: number): void;
  /** The selector threw an error: no more evidence follows. */
  fail(error: unknown): void;
}

/** Requirements of one kind, and their evaluator. */
export interface RequirementSet {
  /** What the requirements are made of: response schemas, request constraints, valid requests, duties of a client, or suites. */
  readonly origin: 'schema' | 'probe' | 'acceptance' | 'request' | 'behaviour';
  readonly requirements: readonly Requirement[];
  /** The hand-written requirements, where `origin` is `behaviour`. */
  readonly behaviours?: readonly BehaviourRequirement<Evidence>[];
  /** `only` narrows the evaluator to one requirement, if it can. */
  open(sink: ResultSink, only?: string): Evaluator;
  /** Replaces the evaluator if all requirements are judged: the selectors that they listen to are shared with other sets. */
  evidenceListeners?(sink: ResultSink): readonly EvidenceListener[];
  /** The requirements for which calls of these operations can be evidence; the set itself if it makes no difference. */
  touching?(operations: ReadonlySet<string>): RequirementSet;
  /** Compiles step by step what the first trace would otherwise have to wait for. */
  prepare?(): Iterable<unknown>;
}

/** The part of a scenario that the judge needs. */
export interface ScenarioTraits {
  readonly name: string;
  /** Ids of the requirements and choices for which it provides evidence; null if unknown. */
  readonly shows: ReadonlySet<string> | null;
}

/** Requirements for which no scenario can provide evidence on any target. */
export interface InfeasibleRequirement {
  /** Requirement id, with `*`. */
  readonly id: string;
  readonly reason: string;
}

/** A change of a whole trace that breaks nothing that the specification states. */
export interface EquivalentMutant {
  /** Shown in reports. */
  readonly name: string;
  /** Returns the same items, in the same positions, where nothing applies. */
  readonly apply: (items: readonly TraceItem[]) => readonly TraceItem[];
  /** True if requirements may lose their evidence by the change. A verdict may then become untested, but never fail. */
  readonly blinds?: boolean;
  /** Public report of a service that answered like this: `owner/repository#number` of an issue or a pull request. */
  readonly filed?: string;
}

/** A kind of mutation that cannot be applied to a trace of the reference, and why. */
export interface EquivalentMutantException {
  /** Requirement id, with `*`. */
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  /** The day, as YYYY-MM-DD, from which it no longer holds; null if the kind can never be tried. */
  readonly expires: string | null;
}

/** The states of one kind of object, as the specification draws them. */
export interface StateMachine {
  readonly name: string;
  readonly spec: string;
  /** Values of the field `object`. */
  readonly objects: readonly string[];
  /** Operations whose response is a new object. An event whose name ends in `.created` also carries one. */
  readonly createdBy: readonly string[];
  readonly states: readonly string[];
  /** Transitions that the specification states; `from` is null before the object exists. */
  readonly transitions: readonly (readonly [from: string | null, to: string])[];
}

/** The evidence that the scenarios of one version of assay provide on every conforming target; generated from runs on the reference. */
export interface ExpectedEvidence {
  /** Version of assay that has these scenarios: traces of other versions expect nothing. */
  readonly version: string;
  /** By id of the requirement, the names of the scenarios each of which is sufficient to show it. */
  readonly scenarios: ReadonlyMap<string, readonly string[]>;
}

/** Requirements whose evidence depends on a free decision, so that a run without it says nothing. */
export interface FreeEvidence {
  /** Requirement id, with `*`. */
  readonly free: string;
  /** Who decides: the model that answers, or the service in front of it. */
  readonly decides: 'model' | 'service';
  /** The decision, as a sentence without a full stop. */
  readonly reason: string;
}

/** Everything that a trace can be judged by. */
export interface Catalogue {
  readonly requirementSets: readonly RequirementSet[];
  readonly choices: readonly Choice<Evidence>[];
  readonly exclusions: readonly Exclusion[];
  readonly infeasible: readonly InfeasibleRequirement[];
  readonly exceptions?: readonly EquivalentMutantException[];
  /** Changes of a trace on which no requirement may fail, in addition to the general ones. */
  readonly equivalentMutants: readonly EquivalentMutant[];
  readonly scenarios: readonly ScenarioTraits[];
  /** Which scenario shows which requirement; absent if a run without evidence says nothing. */
  readonly expectedEvidence?: ExpectedEvidence;
  /** Requirements that are never expected to be shown. */
  readonly freeEvidence?: readonly FreeEvidence[];
  /** State machines to follow through a trace; reported, never judged. */
  readonly stateMachines?: readonly StateMachine[];
}

const requirementsByCatalogue = new WeakMap<Catalogue, ReadonlyMap<string, Requirement>>();

/** Every requirement of a catalogue, by id, sorted. Throws if two have the same id. */
export function requirementsOf(catalogue: Catalogue): ReadonlyMap<string, Requirement> {
  const known = requirementsByCatalogue.get(catalogue);
  if (known !== undefined) return known;
  const requirements = new Map<string, Requirement>();
  for (const requirement of catalogue.requirementSets.flatMap((set) => set.requirements)) {
    if (requirements.has(requirement.id)) throw new Error(`Two requirements have the id ${requirement.id}.`);
    requirements.set(requirement.id, requirement);
  }
  const sorted = new Map([...requirements].sort(([a], [b]) => (a < b ? -1 : 1)));
  requirementsByCatalogue.set(catalogue, sorted);
  return sorted;
}

/** The evidence that the scenarios of a trace are expected to provide; null if another version of assay recorded it. */
export function expectedEvidenceOf(
  { expectedEvidence }: Catalogue,
  { tool }: Pick<TraceHeader, 'tool'>,
): ExpectedEvidence | null {
  return expectedEvidence?.version === tool.version ? expectedEvidence : null;
}

/** The declaration that a requirement's evidence is free; undefined if it is expected. */
export function freeEvidenceOf(free: readonly FreeEvidence[], id: string): FreeEvidence | undefined {
  return free.find((one) => matchesGlob(one.free, id));
}

/** Patterns of the requirements that lose their evidence by the alternatives that the target takes, by id of the choice. */
export function takenAway(
  choices: readonly Choice<Evidence>[],
  taken: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return choices.flatMap((choice) =>
    (taken.get(choice.id) ?? []).flatMap((name) => choice.takesAway?.[alternativeNamed(choice, name)] ?? []),
  );
}

/** The listed alternative that a reported name is, or counts as; the name itself if it counts as none. */
export function alternativeNamed(
  { alternatives, unlisted }: Pick<Choice<Evidence>, 'alternatives' | 'unlisted'>,
  name: string,
): string {
  return alternatives.includes(name) ? name : (unlisted ?? name);
}

/** A MUST whose evidence depends on a free decision: without evidence it is untested. */
export interface FreeRequirement extends Pick<FreeEvidence, 'decides' | 'reason'> {
  /** Id of the requirement. */
  readonly requirement: string;
}

/** Matching thousands of ids with patterns is done once for all reports of a process. */
const freeByCatalogue = new WeakMap<Catalogue, readonly FreeRequirement[]>();

/** The MUSTs of a catalogue whose evidence is free, sorted by id. */
export function freeRequirements(catalogue: Catalogue): readonly FreeRequirement[] {
  const known = freeByCatalogue.get(catalogue);
  if (known !== undefined) return known;
  const found = [...requirementsOf(catalogue).values()].flatMap(({ id, level }) => {
    const free = level === 'MUST' ? freeEvidenceOf(catalogue.freeEvidence ?? [], id) : undefined;
    return free === undefined ? [] : [{ requirement: id, decides: free.decides, reason: free.reason }];
  });
  freeByCatalogue.set(catalogue, found);
  return found;
}
