import type { DisturbedAnswer } from '../../exchange/disturbed.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { Hint, Obstacle, StopReason } from '../../exchange/note.ts';
import type { Diagnosis, Share } from '../requirements/refusals.ts';
import type { Basis, Level, RequirementKind } from '../requirements/requirement.ts';
import type { BreakdownFacts, Cause } from './cause.ts';
import type { Stopped } from './scenario-history.ts';

/** Result of a requirement. `fail` and `warn`: a MUST or SHOULD is broken; `error`: a defect of assay. */
export type Verdict = 'pass' | 'fail' | 'warn' | 'untested' | 'inconclusive' | 'excused' | 'error';

/** Quantiles by nearest rank. The unit is that of the values. */
export interface Quantiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Times of the complete 2xx responses of one operation, in milliseconds since the request began. */
export interface Latency {
  /** How many responses were measured. */
  readonly responses: number;
  /** To the last byte. */
  readonly total: Quantiles;
  /** To the first byte of the body; null if no body arrived. */
  readonly firstByte: Quantiles | null;
  /** From one event of a stream to the next; null without two events. Events of one packet are 0 ms apart. */
  readonly betweenEvents: Quantiles | null;
  /** Completion tokens that the target reports, by the seconds of the whole exchange; null if it reports none. */
  readonly tokensPerSecond: Quantiles | null;
}

/** One transition from state to state, and how often a trace shows it. */
export interface Transition {
  /** Null before the object exists. */
  readonly from: string | null;
  readonly to: string;
  /**
   * `stated`; `over`: a path of stated transitions with unobserved states in between; `open`: the
   * specification says nothing.
   */
  readonly kind: 'stated' | 'over' | 'open';
  readonly seen: number;
}

/** The states and transitions that a trace shows for one kind of object. */
export interface StateMachineCoverage {
  readonly name: string;
  readonly spec: string;
  readonly states: readonly { readonly name: string; readonly stated: boolean; readonly seen: number }[];
  /** All stated transitions, and all that were observed. */
  readonly ways: readonly Transition[];
}

/** How often something was used; 0 for what the specification lists and the client never used. */
export interface UsedPart {
  readonly name: string;
  readonly times: number;
}

/** A parameter of a query or a place in a body, with the values that the specification lists for it. */
export interface UsedParameter extends UsedPart {
  /** As JSON texts; empty if no values are listed. */
  readonly values: readonly UsedPart[];
}

/** The use of one operation, in one of its forms. */
export interface OperationUsage {
  /** With the variant if there are several: `createAssistant.v2`. */
  readonly subject: string;
  readonly family: string;
  readonly requests: number;
  readonly parameters: readonly UsedParameter[];
  /** Events that streams brought, by name; events without a name are `data`. */
  readonly events: readonly UsedPart[];
}

/** One violation as a report keeps it. */
export interface Finding {
  /** JSON pointer, or words: `event 3 /choices/0`, `header content-type`. */
  readonly at: string;
  readonly expected: string;
  /** Absent when nothing was there. */
  readonly actual?: Json;
  /** `e17`. */
  readonly exchange: string;
  /** For traffic in several files: the file of the exchange, and its id there. */
  readonly source?: { readonly path: string; readonly id: string };
  /** Short digest of requirement, operation variant, pointer with indexes as `[]`, class of the actual value. */
  readonly signature: string;
  /**
   * For a requirement that fails for several causes, the id of this one; baselines may list it instead of the
   * requirement.
   */
  readonly causeId?: string;
}

/** The result of a requirement for one trace. The field order is that of `report.json`. */
export interface RequirementVerdict {
  readonly id: string;
  readonly kind: RequirementKind;
  readonly family: string;
  readonly operations: readonly string[];
  readonly level: Level;
  readonly basis: Basis;
  readonly spec: string;
  readonly says: string;
  readonly verdict: Verdict;
  /** Set for `untested`, `inconclusive`, `excused` and `error`; null for the others. */
  readonly cause: Cause | null;
  readonly observations: number;
  /** Reason of the baseline entry that accepts the failure, or that it could not be decided; null if none does. */
  readonly baseline: string | null;
  /** Sorted by exchange, then pointer; at most 20 are kept, `findingsTotal` counts all. */
  readonly findings: readonly Finding[];
  readonly findingsTotal: number;
  /**
   * Ids of the causes behind the failure, or behind the missing evidence, if they explain all of it;
   * otherwise absent.
   */
  readonly consequenceOf?: readonly string[];
  /** For a failure: the faults of the service, if each finding shows one; otherwise absent. */
  readonly faults?: readonly BreakdownFacts[];
}

/** Why a target refuses valid requests: one failure, however many requirements it breaks. */
export interface DiagnosisVerdict extends Omit<Diagnosis, 'operations'> {
  readonly operations: readonly {
    /** Id of the cause in this operation, as baselines and dialects name it. */
    readonly id: string;
    /** Id of the requirement that it breaks. */
    readonly requirement: string;
    /** How many requests the cause is about, and how many of them were refused. */
    readonly with: Share;
    readonly without: Share;
    /** Some of the refused exchanges, oldest first. */
    readonly exchanges: readonly string[];
    /** Why a baseline accepts it; absent for none. */
    readonly baseline?: string;
  }[];
  /** Ids of the requirements that fail by the same requests alone. */
  readonly consequences: readonly string[];
  /** Ids of the requirements that were not judged, because their evidence needs a request that was refused for this cause; absent in older reports. */
  readonly withoutEvidence?: readonly string[];
}

/** The alternatives that a target takes at a point that the specification leaves open. */
export interface ChoiceVerdict {
  readonly id: string;
  readonly spec: string;
  readonly says: string;
  readonly taken: readonly string[];
  /**
   * For each alternative in `taken`, the first exchange that shows it; null if none does. Absent in older
   * reports.
   */
  readonly exchanges?: readonly (string | null)[];
  readonly consistent: boolean;
}

/** An erratum that was needed. */
export interface ErratumVerdict {
  readonly id: string;
  readonly reason: string;
  /** Disagreements that it excused, and calls of operations under another path. */
  readonly times: number;
  /** Ids of the requirements that had disagreed. */
  readonly requirements: readonly string[];
}

export interface OperationVerdict {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly family: string;
  readonly claimed: boolean;
  /** How many 2xx answers the trace holds, of the variant that the family means. */
  readonly exercised: number;
  /** How long its exchanges took together, each from its first byte sent to its last byte received; absent in older reports. */
  readonly milliseconds?: number;
  /** How fast it answered; null if no response with success was complete, absent in older reports. Never judged. */
  readonly latency?: Latency | null;
  /** True if every response says that the target does not offer it (404, 405, 501 to valid requests). */
  readonly notImplemented: boolean;
}

/** Everything a judge says about one trace; reports are pure functions of it. */
export interface Judgement {
  readonly requirements: readonly RequirementVerdict[];
  /** Why valid requests are refused, of each trace the greatest first; absent in older judgements. */
  readonly diagnoses?: readonly DiagnosisVerdict[];
  readonly choices: readonly ChoiceVerdict[];
  readonly operations: readonly OperationVerdict[];
  /** The errata of the dialect in force that were needed. */
  readonly errata: readonly ErratumVerdict[];
  /** One per obstacle: how many requirements it blocked, and the first exchange that shows it. */
  readonly blockers: readonly {
    readonly exchange: string;
    /** How many exchanges show it; absent in older judgements. */
    readonly exchanges?: number;
    readonly obstacle: Obstacle;
    readonly requirements: number;
  }[];
  readonly stopReason: StopReason;
  /** Why the run stopped early; null or absent when it did not. */
  readonly stop?: Stopped | null;
  /** Signs that the target or the configuration is wrong. */
  readonly hints?: readonly Hint[];
  /** Observed states and transitions; absent if none were tracked. */
  readonly states?: readonly StateMachineCoverage[];
  /** How much of the specification a client used; absent if no client was judged. */
  readonly usage?: readonly OperationUsage[];
  /** Reactions of a client to answers that were spoiled on purpose; absent if none was. */
  readonly disturbances?: readonly DisturbedAnswer[];
  readonly cost: { readonly requests: number; readonly bytes: number; readonly tokens: number };
}

/** The result of a run for CI. */
export interface GateResult {
  readonly verdict: 'conforms' | 'does-not-conform' | 'cannot-tell';
  readonly exitCode: 0 | 1 | 2;
  /** Most serious first; empty if the target conforms without exception. */
  readonly reasons: readonly GateReason[];
}

/** A fault of the service, and how many of the requirements of a reason show it, or are not decided for it. */
export interface SharedFault {
  readonly requirements: number;
  readonly fault: BreakdownFacts;
}

/** Why a gate decided as it did. `operations` are distinct ids; `count` counts requirements. */
export type GateReason =
  /** A baseline entry that no longer holds. */
  | { readonly kind: 'baseline'; readonly problem: BaselineProblem }
  /** Requirements that fail, each once: `count` and `consequences` as in `FailureCount`; the second is absent if it is 0. */
  | {
      readonly kind: 'broken';
      readonly level: Level;
      readonly count: number;
      readonly consequences?: number;
      /** The faults that several of them share, the most common first; absent if none. */
      readonly faults?: readonly SharedFault[];
    }
  /** MUSTs that fail as the operations accept invalid requests; `broken` does not count them. Tolerated ones do not fail the run. */
  | {
      readonly kind: 'lenient-validation';
      readonly count: number;
      readonly operations: readonly string[];
      readonly tolerated: boolean;
    }
  /** Claimed, and the target does not offer them. */
  | { readonly kind: 'not-implemented'; readonly operations: readonly string[] }
  | { readonly kind: 'stopped'; readonly reason: StopReason; readonly stop: Stopped | null }
  /** A check or a scenario of assay broke. */
  | { readonly kind: 'defects'; readonly count: number }
  | { readonly kind: 'nothing-judged' }
  /** Claimed operations without any 2xx response. */
  | { readonly kind: 'not-exercised'; readonly operations: readonly string[] }
  /** MUST requirements alone; `faults` as in `broken`. */
  | { readonly kind: 'inconclusive'; readonly count: number; readonly faults?: readonly SharedFault[] }
  /** Failures that the baseline accepts, counted as in `broken`. */
  | { readonly kind: 'known-failures'; readonly count: number; readonly consequences?: number }
  /** Undecided MUSTs that the baseline accepts (`byBaseline` of them), or else --allow-inconclusive. */
  | { readonly kind: 'accepted-undecided'; readonly count: number; readonly byBaseline?: number };

/** Why the baseline entry for a requirement no longer holds. */
export type BaselineProblem = {
  readonly id: string;
} /** The catalogue has no requirement with the id, or it passes: one that was listed as failing, or as not decided. */ & (
  | { readonly why: 'unknown' | 'passes' | 'decided' }
  /** The last day on which the entry was accepted: `2027-01-31`. */
  | { readonly why: 'expired'; readonly expires: string }
  /** A finding that the entry does not list: its signature, and its place. */
  | { readonly why: 'other-finding'; readonly signature: string | null; readonly at: string }
);
