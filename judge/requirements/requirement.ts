import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { Call } from '../trace/call.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import type { NeededCondition } from './needed.ts';

/** MUST for what the specification states, SHOULD for what it advises. */
export type Level = 'MUST' | 'SHOULD';

/** `implied` if the opposite would make the operation's stated purpose untrue. */
export type Basis = 'stated' | 'implied';

/**
 * `schema`: of answers; `accepted`, `rejected`: of the answers to valid and to invalid requests; `request`: of what a
 * client sends; `behaviour`: written by hand.
 */
export type RequirementKind = 'schema' | 'accepted' | 'rejected' | 'request' | 'behaviour';

/** Who is judged: the service by its responses, the client by its requests, or both. */
export type JudgedSide = 'server' | 'client' | 'both';

/** Evidence for a check: its parts, and the exchanges that prove them, oldest first. */
export interface Evidence {
  readonly exchanges: readonly Exchange[];
  /** True if it shows that the target complies, which says something about what does not. */
  readonly showsCompliance?: boolean;
  /**
   * Set if the result depends on whether the target complies anywhere, including other parts of the traffic.
   */
  readonly supposing?: Supposition;
}

/** A supposition on whether the target complies with a requirement anywhere in the traffic. */
export interface Supposition {
  readonly holds: boolean;
  /** Whether the exchanges judged here agree with it. */
  readonly isSoHere: boolean;
}

/**
 * Picks evidence out of a trace, incrementally: receives each exchange once, as a Call, in the order in which
 * they ended. A collector keeps only what it still needs and returns evidence as soon as it is complete.
 */
export interface Selector<E extends Evidence> {
  /** Ids of the operations whose calls it receives; the first one names the family. */
  readonly operations: readonly string[];
  /** The variant of the evidence if operations exist as v1 and v2; null for any. */
  readonly variant: 'v1' | 'v2' | null;
  /** Set if downloads of addresses from responses are evidence as well. */
  readonly downloads?: true;
  /** Set if calls whose path is spelled in the other way are evidence too; of choices alone. */
  readonly otherPath?: true;
  /** Set if each call is evidence by itself, with no state between calls. */
  readonly isStateless?: true;
  /** Operations whose calls are received whatever their variant. */
  readonly everyVariant?: readonly string[];
  /** Set if this is a part of another selector's evidence, which is then collected once for all its parts. */
  readonly part?: {
    readonly of: Selector<E>;
    concerns(evidence: E): boolean;
    readonly needs?: NeededCondition;
  };
  /** Set if this is the evidence of several selectors together: each is collected once for all that use it. */
  readonly anyOf?: readonly Selector<E>[];
  /**
   * A noun phrase for one piece of its evidence, without the conditions of its parts: `a complete reply`.
   * Reports say that nothing showed it, so everything that fits the phrase must be evidence.
   */
  readonly needs?: string;
  /** Set if its evidence is derived from that of another selector, which says what is needed. */
  readonly around?: Selector<Evidence>;
  collect(): Collector<E>;
}

/** Whether a statement is about some evidence; `needs` is the same for reports. */
export interface Condition<E> {
  (evidence: E): boolean;
  readonly needs?: NeededCondition;
}

export interface Collector<E extends Evidence> {
  call(call: Call): Iterable<E>;
  /** An exchange that calls no operation; only if the selector wants downloads. */
  download?(exchange: Exchange): Iterable<E>;
  /**
   * A call outside the specification may have changed objects. Without this method, evidence that relates
   * exchanges from before and after it about these objects is dropped; with it, the collector decides what
   * stays certain.
   */
  outside?(call: OutsideCall): void;
  /**
   * The trace is over: returns the evidence that is complete only now. Absent if all evidence is returned at
   * once.
   */
  finish?(): Iterable<E>;
}

/** Whether what evidence supposes, if it does, agrees with the exchanges that are judged here. */
export function isSupposedHere({ supposing }: Evidence): boolean {
  return supposing?.isSoHere !== false;
}

/** One disagreement between a requirement and the evidence. */
export interface Violation {
  /**
   * JSON pointer, or words if the place is not in JSON: `/data/0/id`, `event 3 /choices/0`, `header
   * content-type`.
   */
  readonly at: string;
  readonly expected: string;
  /** The actual value; undefined if it is absent. */
  readonly actual: Json | undefined;
  /** Id of the exchange that shows it; the last of the evidence unless given. */
  readonly exchange?: string;
  /** Id of the cause, for requirements that fail for several: `createChatCompletion:accepts#body.n>1`. */
  readonly causeId?: string;
  /** Set if the evidence does not decide the requirement, with the reason. */
  readonly inconclusive?: 'capacity' | 'target-error' | 'protocol' | 'model' | 'authentication';
}

/**
 * A counterexample: makes one thing untrue in the exchanges of a conforming trace; null if it applies to
 * nothing in the trace. It edits exchanges (bytes, headers, order), never the evidence, so that parsers and
 * selectors are tested as well.
 */
export type Mutation = (trace: readonly Exchange[]) => readonly Exchange[] | null;

/** A requirement on behaviour without what its section adds. */
export interface RequirementLiteral<E extends Evidence> {
  /** MUST unless given. */
  readonly level?: Level;
  /** Part and section if they differ from those of the file: `2 Chat completion chunk`. */
  readonly spec?: string;
  /** One sentence in the present tense, in our own words. */
  readonly says: string;
  readonly selector: Selector<E>;
  /** Pure: no clock, no network, no state. An empty answer means that the evidence agrees. */
  check(evidence: NoInfer<E>): readonly Violation[];
  readonly mutations: Readonly<Record<string, Mutation>>;
}

/** A requirement on behaviour, written by hand as one literal. */
export interface BehaviourRequirement<E extends Evidence> extends RequirementLiteral<E> {
  /** `area.topic.rule`, for ever. */
  readonly id: string;
  readonly level: Level;
  readonly basis: Basis;
  readonly spec: string;
}

/**
 * The alternative of a choice that is taken by refusing the last request of the evidence. The refusal is then
 * permitted.
 */
export const REFUSED = 'refused';

/** A choice without what its section adds. */
export interface ChoiceLiteral<E extends Evidence> {
  readonly spec?: string;
  readonly says: string;
  readonly alternatives: readonly string[];
  /**
   * Places of responses that it is about, as `schema:path`: no requirement on one of them may contradict an
   * alternative.
   */
  readonly places?: readonly string[];
  /** The alternative that covers every unlisted name: `others too` for `also content_filter`. */
  readonly unlisted?: string;
  /** True if a target may take several without contradicting itself: values and moves that are only seen. */
  readonly several?: boolean;
  readonly selector: Selector<E>;
  /** The alternative that this evidence shows, or a new name for an unlisted one; null if it shows none. */
  taken(evidence: NoInfer<E>): string | null;
  /**
   * By alternative, a change of a trace that makes the target take it; for those that the reference does not
   * take.
   */
  readonly examples?: Readonly<Record<string, Mutation>>;
  /** By alternative, the requirements, with `*`, that have no evidence on a target that takes it. */
  readonly takesAway?: Readonly<Record<string, readonly string[]>>;
}

/** A point that the specification leaves open: named alternatives, never a failure. */
export interface Choice<E extends Evidence> extends ChoiceLiteral<E> {
  readonly id: string;
  readonly spec: string;
}

/** A sentence that no black-box test can see, and why. */
export interface Exclusion {
  readonly id: string;
  readonly spec: string;
  readonly says: string;
  readonly reason: string;
}
