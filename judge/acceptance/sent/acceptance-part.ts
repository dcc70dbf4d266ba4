// The acceptance of requests in a partial verdict.
import type { FailedPart } from './failed-requests.ts';
import type { SentPart } from './sent-part.ts';
import type { UnansweredRequest } from './unanswered.ts';
import type { KeysPart } from './withdrawn-keys.ts';

/** A refused exchange. */
export interface RefusedExchange {
  readonly exchange: string;
  /** How many exchanges had ended with it. */
  readonly at: number;
  /** Whether it was answered 401, 403 or 407. */
  readonly isForbidden: boolean;
}

/** Refused requests of one operation that say the same under the same assumptions. */
export interface RefusedKindPart {
  readonly subject: string;
  readonly features: readonly string[];
  /** As digests. */
  readonly assumes: readonly string[];
  /** When the first of them was refused. */
  readonly at: number;
  readonly refused: number;
  readonly forbidden: number;
  /** Those of which the ids are kept. */
  readonly exchanges: readonly RefusedExchange[];
}

/** A refused request that need not be accepted. */
export interface UndecidedPart {
  readonly subject: string;
  readonly features: readonly string[];
  readonly exchange: string;
  readonly at: number;
}

/** Outcomes of valid requests in one part of the traffic. */
export interface AcceptancePart {
  readonly kinds: readonly RefusedKindPart[];
  /** Facts that requests have shown to be good, as digests. */
  readonly proven: readonly string[];
  readonly sent: SentPart;
  /** Digest of what equal requests have in common, and the first of them. */
  readonly unanswered: readonly (readonly [fingerprint: string, request: UnansweredRequest])[];
  readonly failed: FailedPart;
  readonly keys: KeysPart;
  /** Valid requests that were answered with 2xx, by operation and variant; `at`: when the first was. */
  readonly accepted: readonly {
    readonly subject: string;
    readonly at: number;
    readonly times: number;
  }[];
  readonly open: readonly (readonly [why: string, times: number])[];
  readonly undecided: readonly UndecidedPart[];
  /** Ids of exchanges whose refusal a choice permits. */
  readonly permitted: readonly string[];
}
