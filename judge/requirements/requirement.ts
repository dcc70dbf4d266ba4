import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { Call } from '../trace/call.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import type { NeededCondition } from './needed.ts';

/** SHOULD if the specification recommends it, or leaves it unmarked; MUST otherwise. */
export type Level = 'MUST' | 'SHOULD';

/**
 * `implied`: the opposite defeats the operation's stated purpose. `clients`: the specification leaves it open, but
 * common clients lose or garble data without it. `pinned`: a choice that a dialect pins; only in reports.
 */
export type Basis = 'stated' | 'implied' | 'clients' | 'pinned';

/**
 * `schema`: the schema of responses; `accepted`, `rejected`: the outcome of valid and of invalid requests;
 * `request`: the requests of a client; `behaviour`: handwritten.
 */
export type RequirementKind = 'schema' | 'accepted' | 'rejected' | 'request' | 'behaviour';

/** Who is judged: the service by its responses, the client by its requests, or both. */
export type JudgedSide = 'server' | 'client' | 'both';

export interface Evidence {
  /** In the order in which they ended; the last one completes the evidence. */
  readonly exchanges: readonly Exchange[];
  /** Set if it shows the compliance on which other evidence depends; `only` if it is not judged itself. */
  readonly showsCompliance?: true | 'only';
  /** Set if the result depends on whether the target complies anywhere, including other parts of the traffic. */
  readonly supposing?: Supposition;
}

/** An assumption about whether the target complies with a requirement anywhere in the traffic. */
export interface Supposition {
  /** True for results that count if the target complies somewhere, false for those that count if it never does. */
  readonly holds: boolean;
  /** Whether the assumption is true for the exchanges judged here. */
  readonly holdsHere: boolean;
}

/**
 * Selects evidence from a trace incrementally. Its collector receives each call once, in the order in which calls
 * ended, keeps only what it still needs, and returns evidence as soon as it is complete.
 */
export interface Selector<E extends Evidence> {
  /** Operations whose calls it receives. The first one determines the family, except for requirements on clients. */
  readonly operations: readonly string[];
  /** The variant, for operations that exist as v1 and v2; null for both variants. */
  readonly variant: 'v1' | 'v2' | null;
  /** Set to also receive downloads of URLs from responses. */
  readonly downloads?: true;
  /** Set to also receive calls under the alternative spelling of their path; only for choices. */
  readonly otherPath?: true;
  /** Set if each call is evidence by itself, without state between calls. */
  readonly isStateless?: true;
  /** Operations whose calls are received in every variant. */
  readonly everyVariant?: readonly string[];
  /** Set if this filters the evidence of another selector, which is collected once for all its filters. */
  readonly part?: {
    readonly of: Selector<E>;
    concerns(evidence: E): boolean;
    /** Names the condition in reports. */
    readonly needs?: NeededCondition;
  };
  /** Set if this joins the evidence of several selectors; each is collected once. */
  readonly anyOf?: readonly Selector<E>[];
  /** Noun phrase for one piece of evidence, without the conditions of filters: `a complete reply`. Reports print it. */
  readonly needs?: string;
  /** Set if the evidence is derived from another selector, which describes what is needed. */
  readonly around?: Selector<Evidence>;
  /** Makes a collector for one trace. */
  collect(): Collector<E>;
}

export interface Condition<E> {
  (evidence: E): boolean;
  /** Names the condition in reports. */
  readonly needs?: NeededCondition;
}

export interface Collector<E extends Evidence> {
  /** Receives a call and returns the evidence that it completes. */
  call(call: Call): Iterable<E>;
  /** Receives an exchange that calls no operation; only if the selector wants downloads. */
  download?(exchange: Exchange): Iterable<E>;
  /** Receives a call outside the specification. Without this method, evidence that spans the call is dropped. */
  outside?(call: OutsideCall): void;
  /** Ends the trace and returns the evidence that is complete only now. */
  finish?(): Iterable<E>;
}

/** Whether evidence is judged if no other traffic can affect its supposition. */
export function isJudgedHere({ supposing, showsCompliance }: Evidence): boolean {
  return supposing?.holdsHere !== false && showsCompliance !== 'only';
}

export interface Violation {
  /** A JSON pointer, or words for other places: `/data/0/id`, `event 3 /choices/0`, `header content-type`. */
  readonly at: string;
  /** The expected value, as a phrase: `an integer`. */
  readonly expected: string;
  /** Undefined if the value is absent. */
  readonly actual: Json | undefined;
  /** The exchange that shows it. Default: the last of the evidence. */
  readonly exchange?: string;
  /** Id of the cause, for requirements that can fail for several: `createChatCompletion:accepts#body.n>1`. */
  readonly causeId?: string;
  /** Set if the target closes the connection instead of refusing: no erratum for refusals covers that. */
  readonly closes?: true;
  /** Why the evidence does not decide the requirement; absent if it does. */
  readonly inconclusive?: 'capacity' | 'target-error' | 'protocol' | 'model' | 'authentication';
}

/**
 * Turns a conforming trace into a counterexample that violates one requirement; null if it applies to nothing.
 * It edits exchanges (bytes, headers, order), never the evidence, so that parsers and selectors are tested as well.
 */
export type Mutation = (trace: readonly Exchange[]) => readonly Exchange[] | null;

export interface RequirementLiteral<E extends Evidence> {
  /** Default: MUST. */
  readonly level?: Level;
  /** Part and section of the specification: `2 Chat completion chunk`. Default: the section that the file sets. */
  readonly spec?: string;
  /** One sentence in the present tense, in words other than those of the specification. */
  readonly says: string;
  /** Set if the output of a model, or the clock, decides whether a run shows that a service breaks the requirement. */
  readonly byChance?: true;
  /** Collects the evidence that `check` receives; requirements with the same selector object share it. */
  readonly selector: Selector<E>;
  /** Pure: no clock, no network, no state. Returns an empty list if the evidence satisfies the requirement. */
  check(evidence: NoInfer<E>): readonly Violation[];
  /** By name, at least one: each makes a conforming trace fail this requirement. */
  readonly mutations: Readonly<Record<string, Mutation>>;
}

export interface BehaviourRequirement<E extends Evidence> extends RequirementLiteral<E> {
  /** `area.topic.rule`; public, so it never changes. */
  readonly id: string;
  /** A violated MUST is a failure; a violated SHOULD is a warning. */
  readonly level: Level;
  /** Where it comes from: the words of the specification, what they imply, or clients that rely on it. */
  readonly basis: Basis;
  /** Part and section of the specification. */
  readonly spec: string;
}

/** The alternative of refusing the last request of the evidence. A choice with this alternative permits the refusal. */
export const REFUSED = 'refused';

export interface ChoiceLiteral<E extends Evidence> {
  /** Part and section of the specification. Default: the section that the file sets. */
  readonly spec?: string;
  /** Names the open point: at most 100 characters, with a capital letter and a full stop, in the present tense. */
  readonly says: string;
  /** At least two names; `refused` permits the target to refuse the request. */
  readonly alternatives: readonly string[];
  /** The alternatives that most services take: a report points out a target that takes another one. */
  readonly usual?: readonly string[];
  /** Places in responses, as `schema:path`, where no requirement may contradict an alternative. */
  readonly places?: readonly string[];
  /** The alternative that covers every unlisted name: `others too` for `also content_filter`. */
  readonly unlisted?: string;
  /** True if a target may take several alternatives without being inconsistent. */
  readonly several?: boolean;
  /** Collects the evidence that `taken` receives. */
  readonly selector: Selector<E>;
  /** The alternative that this evidence shows, or a new name for an unlisted one; null if it shows none. */
  taken(evidence: NoInfer<E>): string | null;
  /** For alternatives that the reference does not take: a change of a trace that makes the target take it. */
  readonly examples?: Readonly<Record<string, Mutation>>;
  /** By alternative: patterns, with `*`, of the requirements that have no evidence on a target that takes it. */
  readonly takesAway?: Readonly<Record<string, readonly string[]>>;
  /** A target that also takes this alternative can show what the others take away. */
  readonly unless?: string;
}

/** A point that the specification leaves open, with named alternatives; never a failure. */
export interface Choice<E extends Evidence> extends ChoiceLiteral<E> {
  /** `area.topic.rule`; public, so it never changes. */
  readonly id: string;
  /** Part and section of the specification: `2 Models`. */
  readonly spec: string;
}

/** A statement of the specification that a black-box test cannot check. */
export interface Exclusion extends Pick<Choice<Evidence>, 'id' | 'spec' | 'says'> {
  readonly reason: string;
}
