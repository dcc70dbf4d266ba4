import type { DisturbedAnswer } from '../../exchange/disturbed.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { Hint, Obstacle, Stop, StopReason } from '../../exchange/note.ts';
import type { Requirement } from '../requirements/catalogue.ts';
import type { DiagnosedOperation, Diagnosis } from '../requirements/refusal-causes.ts';
import type { Choice, Evidence, Violation } from '../requirements/requirement.ts';
import type { Erratum } from '../trace/call.ts';
import type { BreakdownFacts, Cause } from './cause.ts';
import type { OperationUsage, StateMachineCoverage } from './coverage.ts';
import type { Latency } from './latency.ts';

/** The actual value of a finding on a request without a response. */
export const NO_ANSWER = 'no answer';

/** `fail` and `warn`: a MUST or SHOULD is broken; `error`: a bug in assay or in an extension. */
export type Verdict = 'pass' | 'fail' | 'warn' | 'untested' | 'inconclusive' | 'excused' | 'error';

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

/** `report.json` has the same field order. */
export interface RequirementVerdict extends Omit<Requirement, 'families' | 'side' | 'byChance'> {
  /** The family under which it is reported: the first claimed one; if none is claimed, the first. */
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
    readonly id: string;
    readonly requirement: string;
    readonly baseline?: string;
  } & Pick<DiagnosedOperation, 'with' | 'without' | 'exchanges'>)[];
  /** Requirements that fail only because of the refused requests. */
  readonly consequences: readonly string[];
  /** Requirements whose evidence needs a request that was refused for this cause; absent in older reports. */
  readonly withoutEvidence?: readonly string[];
}

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
  readonly requirements: readonly string[];
}

export interface OperationVerdict {
  /** Id of the operation, such as `retrieveFile`; an operation with several families has a row for each. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly family: string;
  readonly claimed: boolean;
  /** Number of accepted requests for the variant of this family: 2xx, unless the stream begins with an error. */
  readonly exercised: number;
  /** Total time of its exchanges, from the first byte sent to the last received; absent in older reports. */
  readonly milliseconds?: number;
  /** Informational, never judged; null without a complete 2xx response, absent in older reports. */
  readonly latency?: Latency | null;
  /** Whether all conclusive responses deny the operation: 405, 501, or a 404 that only a missing route explains. */
  readonly notImplemented: boolean;
}

/** The complete result for the judged traffic. */
export interface Judgement {
  /** All requirements, sorted by id. */
  readonly requirements: readonly RequirementVerdict[];
  /** Why valid requests are refused, in the order of `RefusalCauses.diagnoses`; absent in older judgements. */
  readonly diagnoses?: readonly DiagnosisVerdict[];
  /** All choices, sorted by id, then those for vocabulary beyond the specification. */
  readonly choices: readonly ChoiceVerdict[];
  /** One row per operation and family. */
  readonly operations: readonly OperationVerdict[];
  /** Errata of the active dialect that were applied. */
  readonly errata: readonly ErratumVerdict[];
  /** Obstacles, each with an exchange that shows it and the number of requirements that it blocked. */
  readonly blockers: readonly {
    readonly exchange: string;
    /** How many exchanges show it; absent in older judgements. */
    readonly exchanges?: number;
    readonly obstacle: Obstacle;
    readonly requirements: number;
  }[];
  /** `completed`, or the code of the reason why the run ended early; `stop` has the details. */
  readonly stopReason: StopReason;
  /** Details of `stopReason`; null or absent if there are none, as for `completed` and `deadline`. */
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

/** Whether an invalid request ended in a 5xx or without a response: a defect rather than leniency. */
export function breaksDown({ kind, findings }: Pick<RequirementVerdict, 'kind' | 'findings'>): boolean {
  return (
    kind === 'rejected' &&
    findings.some(({ actual }) => actual === NO_ANSWER || (typeof actual === 'number' && actual >= 500))
  );
}
