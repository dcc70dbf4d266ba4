import type { Breakdown } from './breakdowns.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { FailedRequest } from './sent/failed-requests.ts';
import type { UnansweredRequest } from './sent/unanswered.ts';

/** What the answers of a trace show about valid requests, and what they leave open. */
export interface AcceptanceVerdict {
  readonly diagnoses: readonly Diagnosis[];
  /** Requests that were answered with 2xx, by operation and variant; no request that is labelled as a violation. */
  readonly accepted: ReadonlyMap<string, number>;
  /** Requests for which a 2xx was due and that were refused, by operation and variant. */
  readonly refused: ReadonlyMap<string, number>;
  /** Refused requests for which the trace does not show whether a 2xx was due, by the reason. */
  readonly open: Readonly<Record<string, number>>;
  /** Refused exchanges for which a choice permits the refusal, or the account lacks the right. */
  readonly excused: readonly string[];
  /** Requests for which a 2xx was due and whose answers show neither acceptance nor refusal. */
  readonly unanswered: readonly UnansweredRequest[];
  /** Features of requests for which the target fails, each time. */
  readonly breakdowns: readonly Breakdown[];
  /** Requests that keep the specification, that failed, and of which no equal one was accepted. */
  readonly lost: readonly FailedRequest[];
}
