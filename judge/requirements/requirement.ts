import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { Call } from '../trace/call.ts';
import type { OutsideCall } from '../trace/outside-call.ts';
import type { NeededCondition } from './needed.ts';

/** MUST for what the specification states, SHOULD for what it advises. */
export type Level = 'MUST' | 'SHOULD';

/** `implied` where the opposite would make the operation's stated purpose untrue. */
export type Basis = 'stated' | 'implied';

/**
 * `schema`: of answers; `accepted`, `rejected`: of the answers to valid and to invalid requests; `request`: of what a
 * client sends; `behaviour`: written by hand.
 */
export type RequirementKind = 'schema' | 'accepted' | 'rejected' | 'request' | 'behaviour';

/** Who is judged: the service by its answers, the client by its requests, or each by what is its own. */
export type JudgedSide = 'server' | 'client' | 'both';

/** Evidence for a check: its parts, and the exchanges that prove them, oldest first. */
export interface Evidence {
  readonly exchanges: readonly Exchange[];
  /** True if it shows that the target complies, which says something about what does not. */
  readonly showsCompliance?: boolean;
  /** Set if what it shows depends on whether the target complies anywhere, also in parts of the traffic that are judged elsewhere. */
  readonly supposing?: Supposition;
}

/** Whether a target complies anywhere with what a requirement asks for, as it is supposed. */
export interface Supposition {
  readonly holds: boolean;
  /** Whether the exchanges judged here agree with it. */
  readonly isSoHere: boolean;
}

/**
 * Picks evidence out of a trace, incrementally: each exchange once, as a Call, in the order in which they ended.
 * A collector keeps only what it still needs, and hands evidence over as soon as it is complete.
 */
export interface Selector<E extends Evidence> {
  /** Operation ids the evidence is made from; the first one names the family. Only their calls are handed in. */
  readonly operations: readonly string[];
  /** Where operations exist as v1 and v2, the variant that this evidence is of; null when of any. */
  readonly variant: 'v1' | 'v2' | null;
  /** Set if addresses that answers gave are evidence too: what was got from anywhere but an operation. */
  readonly downloads?: true;
  /** Set if calls whose path is spelled in the other way are evidence too; of choices alone. */
  readonly otherPath?: true;
  /** Set if each call is evidence by itself, and nothing is kept between calls. */
  readonly isStateless?: true;
  /** Those of the operations whose calls are handed in whatever their variant. */
  readonly everyVariant?: readonly string[];
  /** Set if this is a part of another selector's evidence: that one is then collected once for all its parts. */
  readonly part?: {
    readonly of: Selector<E>;
    concerns(evidence: E): boolean;
    readonly needs?: NeededCondition;
  };
  /** Set if this is the evidence of several selectors together: each is collected once for all that use it. */
  readonly anyOf?: readonly Selector<E>[];
  /**
   * A noun phrase for one piece of its evidence, without the conditions of its parts: `a complete reply`. Reports say that nothing
   * showed it, so all that it fits has to be evidence.
   */
  readonly needs?: string;
  /** Set if all its evidence is made from that of another selector, which says what is needed. */
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
  /** An exchange that calls no operation; only where the selector wants downloads. */
  download?(exchange: Exchange): Iterable<E>;
  /**
   * A call outside the specification may have changed objects. A collector without this loses all evidence that relates
   * exchanges from before and after it about these objects; one with it decides by itself what stays certain.
   */
  outside?(call: OutsideCall): void;
  /** The trace is over: what is complete only now. Absent if all evidence is handed over at once. */
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
 * A counterexample: takes the exchanges of a conforming trace and returns them with one thing made untrue,
 * or null if the trace has nothing it applies to. It edits exchanges (bytes, headers, order),
 * never the evidence, so that parser and selector are proved too.
 */
export type Mutation = (trace: readonly Exchange[]) => readonly Exchange[] | null;

/** What a suite says of one statement about behaviour; its section says the rest. */
export interface RequirementLiteral<E extends Evidence> {
  /** MUST unless given. */
  readonly level?: Level;
  /** Part and section, where they are not those of the file: `2 Chat completion chunk`. */
  readonly spec?: string;
  /** One sentence in the present tense, in our own words. */
  readonly says: string;
  readonly selector: Selector<E>;
  /** Pure: no clock, no network, no state. An empty answer means that the evidence agrees. */
  check(evidence: NoInfer<E>): readonly Violation[];
  readonly mutations: Readonly<Record<string, Mutation>>;
}

/** A statement about behaviour, written by hand as one literal. */
export interface BehaviourRequirement<E extends Evidence> extends RequirementLiteral<E> {
  /** `area.topic.rule`, for ever. */
  readonly id: string;
  readonly level: Level;
  readonly basis: Basis;
  readonly spec: string;
}

/** The alternative of a choice that is taken by refusing the last request of the evidence. The refusal is then permitted. */
export const REFUSED = 'refused';

/** What a suite says of one point that is left open; its section says the rest. */
export interface ChoiceLiteral<E extends Evidence> {
  /** Part and section, where they are not those of the file. */
  readonly spec?: string;
  readonly says: string;
  readonly alternatives: readonly string[];
  /** Places of answers that it is about, as `schema:path`: no requirement on one of them may contradict an alternative. */
  readonly places?: readonly string[];
  /** The alternative that represents every name that is not listed: `others too` for `also content_filter`. */
  readonly unlisted?: string;
  /** True if a target may take several without contradicting itself: values and moves that are only seen. */
  readonly several?: boolean;
  readonly selector: Selector<E>;
  /**
   * The alternative that this evidence shows, or a new name for one that is not listed; null if it shows none.
   */
  taken(evidence: NoInfer<E>): string | null;
  /** By alternative a way to change a trace so that it is taken; for those that the reference does not take. */
  readonly examples?: Readonly<Record<string, Mutation>>;
  /** By alternative the requirements, with `*`, that a target shows no evidence for where it takes it. */
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
