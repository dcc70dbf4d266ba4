// Why a target refuses valid requests or fails on them. `explain/` finds these causes.
import type { FailedRequest, Share } from './acceptance-facts.ts';

export interface Diagnosis {
  /**
   * `features`: every request with all of `features` is refused; if the feature is a circumstance such as high load,
   * perhaps not every one, but far more than of other requests; `everything`: every request is; `inconsistent`: equal
   * requests are sometimes accepted and sometimes refused; `unexplained`: no short list of features explains the
   * refusals.
   */
  readonly kind: 'features' | 'everything' | 'inconsistent' | 'unexplained';
  /**
   * The features joined by `&`, or `everything`, `at-random` or `unexplained`. It follows the id of the requirement:
   * `createChatCompletion:accepts#body.n>1`.
   */
  readonly feature: string;
  /** The features of the cause, sorted; empty unless `kind` is `features`. */
  readonly features: readonly string[];
  /** Other sets of features that occur in exactly the same requests. */
  readonly equivalent: readonly (readonly string[])[];
  /**
   * False if no accepted request shows that the credentials, model and files of the refused ones are valid. The cause
   * then explains findings of other requirements, but violates none by itself.
   */
  readonly proven: boolean;
  /** Set if the target closes the connection each time instead of refusing. */
  readonly closes?: true;
  readonly operations: readonly DiagnosedOperation[];
}

export interface DiagnosedOperation {
  /** Operation, with its variant if there are several: `createAssistant.v2`. */
  readonly subject: string;
  /** Requests to which the cause applies; if requests are refused at random, all that no other cause explains. */
  readonly with: Share;
  /** Requests to which the cause does not apply; both counts are 0 unless `kind` is `features`. */
  readonly without: Share;
  /** Oldest first. */
  readonly exchanges: readonly string[];
  /** Refused exchanges that the cause explains too, although their refusal is not a violation in itself. */
  readonly undecided: readonly string[];
}

export const FEATURELESS_CAUSES = {
  everything: 'everything',
  inconsistent: 'at-random',
  unexplained: 'unexplained',
} as const;

export interface FailedShare {
  readonly failed: number;
  /** Failed and accepted requests. */
  readonly total: number;
}

/** A set of features with which an operation fails every time. */
export interface Breakdown {
  readonly subject: string;
  /** Features that together occur in no accepted request: `body.stop`. */
  readonly features: readonly string[];
  /** Distinct statuses, ascending; null for a timeout. */
  readonly statuses: readonly (number | null)[];
  /** Valid requests with these features; all of them failed. */
  readonly with: FailedShare;
  /** Valid requests of the same subject without these features. */
  readonly without: FailedShare;
  /** Failed exchanges with these features, including invalid requests, in order. */
  readonly exchanges: readonly string[];
}

export interface RefusalCauses {
  /** Refusals, closed connections, then unproven causes; the first two by number of refused requests, descending. */
  readonly diagnoses: readonly Diagnosis[];
  /** Grouped by operation; within each, the best explanation first. */
  readonly breakdowns: readonly Breakdown[];
  /** The first exchange of each request that failed every time, if neither an outage nor a breakdown explains it. */
  readonly broken: readonly FailedRequest[];
}

export interface Failures {
  readonly breakdowns: readonly Breakdown[];
  /** Failed requests that break no constraint and equal no accepted request. */
  readonly lost: readonly FailedRequest[];
}

export function acceptanceRequirementId(subject: string): string {
  return `${subject}:accepts`;
}

export function refusalVerb({ closes }: Pick<Diagnosis, 'closes'>): string {
  return closes === true ? 'closes the connection on' : 'refuses';
}

export function causeId(subject: string, feature: string): string {
  return `${acceptanceRequirementId(subject)}#${feature}`;
}

export function causeParts(id: string): { readonly requirement: string; readonly feature: string } | null {
  const [, requirement, feature] = /^(.+:accepts)#(.+)$/.exec(id) ?? [];
  return requirement === undefined || feature === undefined ? null : { requirement, feature };
}

export function isAcceptanceRequirement(id: string): boolean {
  return id.endsWith(':accepts');
}
