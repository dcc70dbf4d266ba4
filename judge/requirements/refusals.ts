// Refused and failed requests, as facts that are explained later. `judge/acceptance/` collects them; `explain/` finds their causes.
import type { Violation } from './requirement.ts';

/** Requests that have the same features, and their outcomes. */
export interface RequestRow {
  /** Sorted and distinct. Features that begin with `context.` describe when the request was sent, not its content. */
  readonly features: readonly string[];
  readonly accepted: number;
  readonly refused: number;
  /** Some of the refused exchanges, oldest first. */
  readonly exchanges: readonly string[];
}

/** Rows by subject: an operation with its variant. */
export type RowsBySubject = ReadonlyMap<string, readonly RequestRow[]>;

/** A request that the target answered with 429 or 5xx, or not in time. */
export interface FailedRequest {
  /** Operation and variant. */
  readonly subject: string;
  readonly features: readonly string[];
  /** What other requests must show to be valid if a 2xx was due; null for any other request. */
  readonly assumes: readonly string[] | null;
  readonly exchange: string;
  readonly scenario: string;
  /** Null if no response arrived in time. */
  readonly status: number | null;
  /** Whether the request breaks a constraint, so that its response is not expected to be evidence. */
  readonly isViolation: boolean;
  /** Equal for equal requests. */
  readonly fingerprint: string;
  /** How many exchanges had ended when it was sent, and when it ended. */
  readonly after: number;
  readonly at: number;
  /** How many other requests were in flight when it was sent. */
  readonly inFlight: number;
}

/** When an accepted request was sent. */
export type AcceptedTime = Pick<FailedRequest, 'subject' | 'after' | 'at' | 'inFlight'>;

/** A valid request whose response shows nothing about it. */
export interface UnansweredRequest {
  /** Operation and variant. */
  readonly subject: string;
  /** What other requests must show to be valid. */
  readonly assumes: readonly string[];
  /** Id of the first exchange with it. */
  readonly exchange: string;
  /** Null if no status line arrived. */
  readonly status: number | null;
  readonly why: NonNullable<Violation['inconclusive']>;
  /** The connection closed before a byte of a response arrived. */
  readonly isClosed?: true;
}

/** A refusal of a request that need not be accepted. */
export interface UndecidedRefusal {
  readonly subject: string;
  readonly features: readonly string[];
  readonly exchange: string;
}

/** What the responses of a trace show about valid requests, before it is explained. */
export interface AcceptanceFacts {
  /** Requests answered with 2xx, by subject; without labelled violations. */
  readonly accepted: ReadonlyMap<string, number>;
  /** Refused requests for which a 2xx was due. */
  readonly refusedRows: RowsBySubject;
  /** Refused requests of the subjects of which nothing was accepted, so that nothing shows that a 2xx was due. */
  readonly unprovenRows: RowsBySubject;
  /** Why it is unknown whether a 2xx was due, with the number of refusals. */
  readonly open: Readonly<Record<string, number>>;
  /** Refused exchanges for which a choice permits the refusal, or the account lacks the right. */
  readonly excused: readonly string[];
  /** Requests for which a 2xx was due and whose responses show neither acceptance nor refusal. */
  readonly unanswered: readonly UnansweredRequest[];
  /** Refusals that a cause may explain as well. */
  readonly undecided: readonly UndecidedRefusal[];
  /** In the order in which they ended, as `acceptedTimes`. */
  readonly failed: readonly FailedRequest[];
  readonly acceptedTimes: readonly AcceptedTime[];
  /** Failed requests that break no constraint and of which no equal one was accepted. */
  readonly lost: readonly FailedRequest[];
  /** Rows of accepted requests. */
  readonly acceptedRows: () => RowsBySubject;
  /** A row for each distinct request and moment; its first feature identifies the request. */
  readonly repeatedRows: () => RowsBySubject;
  /** Whether other requests have shown all of this to be valid. */
  readonly areProven: (assumes: readonly string[]) => boolean;
}

/** How many requests were refused, of how many. */
export interface Share {
  readonly refused: number;
  readonly total: number;
}

/** One cause for which a target refuses valid requests. */
export interface Diagnosis {
  /**
   * `features`: each request with all of `features` is refused; `everything`: each request is; `inconsistent`: equal requests are
   * accepted once and refused another time; `unexplained`: no feature, and no pair of features, is specific to refused requests.
   */
  readonly kind: 'features' | 'everything' | 'inconsistent' | 'unexplained';
  /**
   * Names the cause within each of its operations: the features joined by `&`, or else `everything`, `at-random` or
   * `unexplained`. Baselines and dialects append it to the id of the requirement: `createChatCompletion:accepts#body.n>1`.
   */
  readonly feature: string;
  /** The features that only refused requests have, sorted; empty unless `kind` is `features`. */
  readonly features: readonly string[];
  /** Other sets of features that exactly these requests have. */
  readonly equivalent: readonly (readonly string[])[];
  /**
   * False if no accepted request shows that the credentials, the model or the files of the refused ones are valid: then the cause
   * explains what other requirements report, and breaks none.
   */
  readonly proven: boolean;
  readonly operations: readonly DiagnosedOperation[];
}

/** An operation, with its variant, that refuses requests for one cause. */
export interface DiagnosedOperation {
  readonly subject: string;
  /** The requests that the cause is about; all requests if they are refused at random. */
  readonly with: Share;
  readonly without: Share;
  /** The known refused exchanges, oldest first. */
  readonly exchanges: readonly string[];
  /** Refused exchanges that the cause explains although their requests need not be accepted; not counted. */
  readonly undecided: readonly string[];
}

/** Names of causes without features. */
export const FEATURELESS_CAUSES = {
  everything: 'everything',
  inconsistent: 'at-random',
  unexplained: 'unexplained',
} as const;

/** How many requests failed, of those that failed or were accepted. */
export interface FailedShare {
  readonly failed: number;
  readonly total: number;
}

/** One set of features with which an operation fails each time. */
export interface Breakdown {
  /** Operation and variant. */
  readonly subject: string;
  /** Sorted. */
  readonly features: readonly string[];
  /** Distinct statuses of the failures, ascending; null is no response in time. */
  readonly statuses: readonly (number | null)[];
  readonly with: FailedShare;
  readonly without: FailedShare;
  /** Every failed exchange with these features, including invalid requests, by number. */
  readonly exchanges: readonly string[];
}

/** The causes of refusals and failures in one trace. */
export interface RefusalCauses {
  readonly diagnoses: readonly Diagnosis[];
  readonly breakdowns: readonly Breakdown[];
}

/** The failures of all traces. */
export interface Failures {
  readonly breakdowns: readonly Breakdown[];
  /** Requests that failed, and of which no equal one was accepted. */
  readonly lost: readonly FailedRequest[];
}

/** The id of the requirement that an operation, with its variant, accepts valid requests: `createFile:accepts`. */
export function acceptanceRequirementId(subject: string): string {
  return `${subject}:accepts`;
}

/** The operation of a subject: `createAssistant` of `createAssistant.v2`. */
export function operationOfSubject(subject: string): string {
  return subject.split('.', 1)[0] ?? subject;
}

/** The id of one cause for which an operation refuses valid requests: `createChatCompletion:accepts#body.n>1`. */
export function causeId(subject: string, feature: string): string {
  return `${acceptanceRequirementId(subject)}#${feature}`;
}

/** The parts of the id of a cause; null for any other id. */
export function causeParts(id: string): { readonly requirement: string; readonly feature: string } | null {
  const [, requirement, feature] = /^(.+:accepts)#(.+)$/.exec(id) ?? [];
  return requirement === undefined || feature === undefined ? null : { requirement, feature };
}

/** Whether a requirement states that valid requests are accepted. */
export function isAcceptanceRequirement(id: string): boolean {
  return id.endsWith(':accepts');
}

/** How many of the requests of these rows were refused. */
export function shareOf(rows: readonly RequestRow[]): Share {
  const refused = rows.reduce((sum, row) => sum + row.refused, 0);
  return { refused, total: rows.reduce((sum, row) => sum + row.accepted, refused) };
}
