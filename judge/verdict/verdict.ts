import type { DisturbedAnswer } from '../../exchange/disturbed.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { Hint, Obstacle, Stop, StopReason } from '../../exchange/note.ts';
import type { Requirement, StateMachine } from '../requirements/catalogue.ts';
import type { DiagnosedOperation, Diagnosis } from '../requirements/refusal-causes.ts';
import type { Choice, Evidence, Level, Violation } from '../requirements/requirement.ts';
import type { Erratum } from '../trace/call.ts';
import type { BreakdownFacts, Cause } from './cause.ts';

/** `fail` and `warn`: a MUST or SHOULD is broken; `error`: a bug in assay. */
export type Verdict = 'pass' | 'fail' | 'warn' | 'untested' | 'inconclusive' | 'excused' | 'error';

/** Quantiles by nearest rank, in the unit of the values. */
export interface Quantiles {
  /** The median. */
  readonly p50: number;
  /** The 90th percentile. */
  readonly p90: number;
  /** The 99th percentile. */
  readonly p99: number;
}

/** Times of the complete 2xx responses of one operation, in milliseconds, and their token rate. */
export interface Latency {
  /** Number of responses measured, at least 1. */
  readonly responses: number;
  /** Time from the start of the request to the end of the response. */
  readonly total: Quantiles;
  /** Time from the start of the request to the first byte of the body; null if no body arrived. */
  readonly firstByte: Quantiles | null;
  /** Time between consecutive events of a stream; null without two events. Events in one packet are 0 ms apart. */
  readonly betweenEvents: Quantiles | null;
  /** Reported completion tokens per second of the whole exchange; null if the target reports none. */
  readonly tokensPerSecond: Quantiles | null;
}

export interface Transition {
  /** Null before the object exists. */
  readonly from: string | null;
  /** The state entered. */
  readonly to: string;
  /** `stated`: in the specification; `over`: several stated transitions at once; `open`: neither. */
  readonly kind: 'stated' | 'over' | 'open';
  /** How many times objects made the transition; 0 for a stated one that was not observed. */
  readonly seen: number;
}

export interface StateMachineCoverage extends Pick<StateMachine, 'name' | 'spec'> {
  /** Stated states in the order of the catalogue, then others by first entry. `seen`: how often objects entered it. */
  readonly states: readonly { readonly name: string; readonly stated: boolean; readonly seen: number }[];
  /** All stated and all observed transitions. */
  readonly ways: readonly Transition[];
}

export interface UsedPart {
  /** `query.limit` or `body.stream` for a parameter; otherwise a value or the name of an event. */
  readonly name: string;
  /** Number of occurrences; 0 if it was never used. */
  readonly times: number;
}

/** A query parameter or body field, with its listed values. */
export interface UsedParameter extends UsedPart {
  /** The listed values, each named by its JSON text; empty if none are listed. */
  readonly values: readonly UsedPart[];
}

export interface OperationUsage {
  /** The operation, with its variant if there are several: `createAssistant.v2`. */
  readonly subject: string;
  /** Family of the variant: `assistants-v2`. */
  readonly family: string;
  /** Number of requests of the client; 0 for an operation that it never called. */
  readonly requests: number;
  /** All parameters and fields that the specification lists, used or not. */
  readonly parameters: readonly UsedParameter[];
  /** Received stream events by name; `data` for events without a name. */
  readonly events: readonly UsedPart[];
}

export interface Finding extends Pick<Violation, 'at' | 'expected' | 'closes'> {
  /** Absent if there was no value. */
  readonly actual?: Json;
  /** Id of the exchange, such as `e17`. */
  readonly exchange: string;
  /** For traffic from several files: the file of the exchange, and its id there. */
  readonly source?: { readonly path: string; readonly id: string };
  /** Short digest of requirement, operation variant, pointer without indexes, and class of the actual value. */
  readonly signature: string;
  /** Id of the cause, if the requirement can fail for several; baselines may list it instead of the requirement. */
  readonly causeId?: string;
}

/** The result of a requirement for the judged traffic. `report.json` has the same field order. */
export interface RequirementVerdict extends Omit<Requirement, 'families' | 'side' | 'byChance'> {
  /** The claimed family under which it is reported. */
  readonly family: string;
  /** `pass` needs evidence; without it the verdict is `untested` or `inconclusive`. */
  readonly verdict: Verdict;
  /** Set for `untested`, `inconclusive`, `excused` and `error`; otherwise null. */
  readonly cause: Cause | null;
  /** Pieces of evidence judged. */
  readonly observations: number;
  /** For a pass: the exchanges of the evidence that completed first, at most two; absent in older reports. */
  readonly shownBy?: readonly string[];
  /** Reason of the baseline entry that accepts the failure or the missing decision, or null. */
  readonly baseline: string | null;
  /** Sorted by exchange, then pointer. At most 20 are kept; `findingsTotal` counts all. */
  readonly findings: readonly Finding[];
  /** Number of all findings. */
  readonly findingsTotal: number;
  /** Ids of the causes that completely explain the failure or the missing evidence; absent without such causes. */
  readonly consequenceOf?: readonly string[];
  /** Faults of the service behind a failure; absent unless every finding shows one. */
  readonly faults?: readonly BreakdownFacts[];
  /** Set for a failure if chance decides whether a run shows it: the same requests have also passed. */
  readonly byChance?: true;
  /** Set for a failure seen only in responses to invalid requests that were accepted: refusing them would avoid it. */
  readonly provoked?: true;
}

/** Why a target refuses valid requests: one failure, even if it breaks many requirements. */
export interface DiagnosisVerdict extends Omit<Diagnosis, 'operations'> {
  /** Operations whose acceptance requirement fails for this cause; if there is none, all in which the cause occurs. */
  readonly operations: readonly ({
    /** Id of the cause in this operation, for baselines and dialects. */
    readonly id: string;
    readonly requirement: string;
    /** Reason of the baseline entry that accepts the cause; absent if none does. */
    readonly baseline?: string;
  } & Pick<DiagnosedOperation, 'with' | 'without' | 'exchanges'>)[];
  /** Requirements that fail only because of the refused requests. */
  readonly consequences: readonly string[];
  /** Requirements whose evidence needs a request that was refused for this cause; absent in older reports. */
  readonly withoutEvidence?: readonly string[];
}

/** The alternatives that a target takes where the specification leaves a choice. */
export interface ChoiceVerdict extends Pick<Choice<Evidence>, 'id' | 'spec' | 'says' | 'usual'> {
  /** Observed alternatives, listed or not; sorted, at most 20, empty without evidence. */
  readonly taken: readonly string[];
  /** The first exchange that shows each alternative in `taken`, or null if none does; absent in older reports. */
  readonly exchanges?: readonly (string | null)[];
  /** False if several alternatives were observed at a point that permits only one per target. */
  readonly consistent: boolean;
  /** The only alternative that the dialect permits, if the target takes another. */
  readonly pinned?: string;
  /** The only alternative that the dialect permits, if the target takes it and no other. */
  readonly kept?: string;
  /** The only alternative that the dialect permits, if the traffic shows no alternative. */
  readonly unshown?: string;
  /** The only alternative that the target took when the baseline was written, if it takes another one now. */
  readonly before?: string;
}

export interface ErratumVerdict extends Erratum {
  /** Number of violations that it excused, plus the number of calls whose path, mode or refusal it covers. */
  readonly times: number;
  /** Ids of the requirements whose violations it excused. */
  readonly requirements: readonly string[];
}

export interface OperationVerdict {
  /** Id of the operation, such as `retrieveFile`; an operation with several families has a row for each. */
  readonly id: string;
  /** `GET`, `POST` or `DELETE`. */
  readonly method: string;
  /** Path template: `/v1/files/{file_id}`. */
  readonly path: string;
  /** Family of the variant that this row counts. */
  readonly family: string;
  /** Whether the operation is claimed under this family. */
  readonly claimed: boolean;
  /** Number of 2xx responses for the variant of this family. */
  readonly exercised: number;
  /** Total time of its exchanges, from the first byte sent to the last received; absent in older reports. */
  readonly milliseconds?: number;
  /** Informational, never judged; null without a complete 2xx response, absent in older reports. */
  readonly latency?: Latency | null;
  /** Whether every conclusive response says that the target does not offer it: 404, 405 or 501 to valid requests. */
  readonly notImplemented: boolean;
}

/** The complete result for the judged traffic; reports are pure functions of it. */
export interface Judgement {
  /** All requirements, sorted by id. */
  readonly requirements: readonly RequirementVerdict[];
  /** Why valid requests are refused; per trace, the most frequent refusal first. Absent in older judgements. */
  readonly diagnoses?: readonly DiagnosisVerdict[];
  /** All choices, sorted by id, then those for vocabulary beyond the specification. */
  readonly choices: readonly ChoiceVerdict[];
  /** One row per operation and family. */
  readonly operations: readonly OperationVerdict[];
  /** Errata of the active dialect that were applied. */
  readonly errata: readonly ErratumVerdict[];
  /** Obstacles, each with the first exchange that shows it and the number of requirements that it blocked. */
  readonly blockers: readonly {
    readonly exchange: string;
    /** How many exchanges show it; absent in older judgements. */
    readonly exchanges?: number;
    readonly obstacle: Obstacle;
    readonly requirements: number;
  }[];
  /** `completed`, or why the run ended early. */
  readonly stopReason: StopReason;
  /** Why the run stopped early; null or absent if it did not. */
  readonly stop?: Stop | null;
  /** Set if --only, --skip or --scenario left scenarios out, which might have shown further failures. */
  readonly isSelection?: true;
  /** Observations about the run, which reports put into words. */
  readonly hints?: readonly Hint[];
  /** Observed states and transitions; absent if none were tracked. */
  readonly states?: readonly StateMachineCoverage[];
  /** How much of the specification a client used; absent if no client was judged. */
  readonly usage?: readonly OperationUsage[];
  /** Reactions of a client to responses that were disturbed on purpose; absent if there were none. */
  readonly disturbances?: readonly DisturbedAnswer[];
  /** The cost of the traffic to the target. */
  readonly cost: { readonly requests: number; readonly bytes: number; readonly tokens: number };
}

/** The result of a run for CI. */
export interface GateResult {
  /** Whether the target conforms, whatever the exit code. */
  readonly verdict: 'conforms' | 'does-not-conform' | 'cannot-tell';
  /** 0: conforms, or failures are only reported; 1: does not conform; 2: evidence is missing. */
  readonly exitCode: 0 | 1 | 2;
  /** Most serious first; empty if the target conforms without exception. */
  readonly reasons: readonly GateReason[];
}

/** A fault of the service that several requirements of a reason share. */
export interface SharedFault {
  /** How many requirements show it or are undecided because of it; at least 2. */
  readonly requirements: number;
  /** The features of requests with which the target fails. */
  readonly fault: BreakdownFacts;
}

/** Whether an invalid request ended in a 5xx or without a response: a defect rather than leniency. */
export function breaksDown({ kind, findings }: Pick<RequirementVerdict, 'kind' | 'findings'>): boolean {
  return (
    kind === 'rejected' &&
    findings.some(({ actual }) => actual === NO_ANSWER || (typeof actual === 'number' && actual >= 500))
  );
}

/** The actual value of a finding on a request without a response. */
export const NO_ANSWER = 'no answer';

/** Failures that a gate can tolerate: invalid requests are accepted, or widely used clients lose or garble data. */
export type Tolerable = 'lenient-validation' | 'clients';

/** A reason for the decision of a gate. `operations` are distinct ids; `count` is a number of requirements. */
export type GateReason =
  | { readonly kind: 'baseline'; readonly problem: BaselineProblem }
  /** Failing requirements, counted as in `FailureCount`; `consequences` is absent if it is 0. */
  | {
      readonly kind: 'broken';
      readonly level: Level;
      readonly count: number;
      readonly consequences?: number;
      /** Faults that several of them share, the most common first; absent if there are none. */
      readonly faults?: readonly SharedFault[];
    }
  /** MUSTs of a kind that a gate can tolerate; `broken` does not count them. Tolerated ones do not fail the run. */
  | {
      readonly kind: Tolerable;
      readonly count: number;
      readonly operations: readonly string[];
      readonly tolerated: boolean;
    }
  /** A choice that the dialect pins to an alternative that the target does not take. */
  | {
      readonly kind: 'pinned-choice';
      readonly id: string;
      readonly pinned: string;
      readonly taken: readonly string[];
    }
  /** Claimed operations that the target does not offer. */
  | { readonly kind: 'not-implemented'; readonly operations: readonly string[] }
  | { readonly kind: 'stopped'; readonly reason: StopReason; readonly stop: Stop | null }
  /** A check or a scenario threw, which is a bug in assay. */
  | { readonly kind: 'defects'; readonly count: number }
  | { readonly kind: 'nothing-judged' }
  /** Claimed operations without any 2xx response. */
  | { readonly kind: 'not-exercised'; readonly operations: readonly string[] }
  /** Only MUST requirements; `faults` as in `broken`. */
  | { readonly kind: 'inconclusive'; readonly count: number; readonly faults?: readonly SharedFault[] }
  /** Failures that the baseline accepts, counted as in `broken`. */
  | { readonly kind: 'known-failures'; readonly count: number; readonly consequences?: number }
  /** Undecided MUSTs that are accepted: `byBaseline` of them by the baseline, the rest by --allow-inconclusive. */
  | { readonly kind: 'accepted-undecided'; readonly count: number; readonly byBaseline?: number };

/** Why the baseline entry for a requirement, or a recorded choice, no longer holds. */
export type BaselineProblem = { readonly id: string } & (
  | { readonly why: 'other-finding'; readonly signature: string | null; readonly at: string }
  /** No requirement, or no choice, has the id. `nearest`: similar ids; absent without any, and in older reports. */
  | { readonly why: 'unknown' | 'unknown-choice'; readonly nearest?: readonly string[] }
  /** The requirement passes although it is listed as failing or as undecided. */
  | { readonly why: 'passes' | 'decided' }
  /** Like `passes` or `decided`, but the run was limited to some scenarios: others may still show the failure. */
  | { readonly why: 'selection-passes' }
  /** An intermittent entry whose requirement passes. `tries`: pieces of evidence in this run. */
  | { readonly why: 'not-shown'; readonly tries: number }
  /** The operation now rejects this many `kinds` of invalid requests that it accepted when the entry was written. */
  | { readonly why: 'partly-passes'; readonly kinds: number }
  /** `expires`: the last valid day, such as `2027-01-31`. `others`: ids of further entries with that day, if any. */
  | { readonly why: 'expired'; readonly expires: string; readonly others?: readonly string[] }
);
