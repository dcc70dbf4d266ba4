// Outcomes of requests, before they are explained. `judge/acceptance/` collects them, `explain/` finds their causes.
import type { Violation } from './requirement.ts';

export interface RequestRow {
  /** Distinct. Features that begin with `context.` describe when the request was sent, not its content. */
  readonly features: readonly string[];
  readonly accepted: number;
  /** Number of refused requests; may exceed the length of `exchanges`. */
  readonly refused: number;
  /** Some of the refused exchanges. */
  readonly exchanges: readonly string[];
}

export type RowsBySubject = ReadonlyMap<string, readonly RequestRow[]>;

/** A request of a scenario that got 408, 429, no response in time, or a 5xx other than 501 that blames no model. */
export interface FailedRequest {
  /** Operation, with its variant if there are several: `createAssistant.v2`. */
  readonly subject: string;
  /** Features of the content, sorted: `body.n>1`, `query.limit`. */
  readonly features: readonly string[];
  /** Credentials, model, files and values that other requests must show to be valid; null if no 2xx was due. */
  readonly assumes: readonly string[] | null;
  readonly exchange: string;
  /** Name of the scenario that sent it; failures of other traffic are not recorded. */
  readonly scenario: string;
  /** Null if the response did not arrive in time. */
  readonly status: number | null;
  /** Whether the request breaks a constraint; its response is then not expected to be evidence. */
  readonly isViolation: boolean;
  /** The requirement that a label names, and the assumption that its control is accepted; null without a label. */
  readonly probe: { readonly requirement: string | null; readonly control: string | null } | null;
  /** Equal for equal requests. */
  readonly fingerprint: string;
  /** How many exchanges had ended when it was sent. */
  readonly after: number;
  /** Position in the order in which exchanges ended. */
  readonly at: number;
  readonly inFlight: number;
}

export type AcceptedTime = Pick<FailedRequest, 'subject' | 'after' | 'at' | 'inFlight'>;

/** A valid request whose response shows neither acceptance nor refusal. */
export interface UnansweredRequest extends Pick<FailedRequest, 'subject' | 'exchange' | 'status'> {
  readonly assumes: readonly string[];
  /** Why the response decides nothing: `protocol` for a reset, 1xx or 3xx, `authentication` for a revoked key. */
  readonly why: NonNullable<Violation['inconclusive']>;
  /** Set if connections closed before the response to this or equal requests. */
  readonly closed?: ClosedConnections;
}

export interface ClosedConnections {
  readonly features: readonly string[];
  /** The earliest exchanges, at most 20. */
  readonly exchanges: readonly string[];
  readonly last: string;
  /** Whether the latest connection was closed, not refused, while no other exchange ended. */
  readonly isLastAlone: boolean;
  /** Whether the connection closed on each of the equal requests. Partial verdicts fix the name. */
  readonly isOnly: boolean;
}

/** Whether the connection closes for each of several equal requests, and nothing but the request explains it. */
export function closesEachTime(closed: ClosedConnections | undefined): closed is ClosedConnections {
  return closed?.isOnly === true && closed.isLastAlone && closed.exchanges.length > 1;
}

/** The features include the circumstances: `context.repeated`. */
export type UndecidedRefusal = Pick<FailedRequest, 'subject' | 'features' | 'exchange'>;

export interface AcceptanceFacts {
  /** Number of accepted requests by subject, except those that `extractAcceptedRequest` leaves out. */
  readonly accepted: ReadonlyMap<string, number>;
  /** Refused requests for which a 2xx was due. */
  readonly refusedRows: RowsBySubject;
  /** Refused requests of subjects without any accepted request, so nothing shows that a 2xx was due. */
  readonly unprovenRows: RowsBySubject;
  /** Number of refusals that are not judged, by reason. */
  readonly open: Readonly<Record<string, number>>;
  /** Exchanges whose refusal is permitted by a choice, or due to a missing permission of the account. */
  readonly excused: readonly string[];
  readonly unanswered: readonly UnansweredRequest[];
  /** Refusals that are not violations but may share a cause with one. */
  readonly undecided: readonly UndecidedRefusal[];
  readonly failed: readonly FailedRequest[];
  readonly acceptedTimes: readonly AcceptedTime[];
  /** Failed requests that break no constraint and equal no accepted request. */
  readonly lost: readonly FailedRequest[];
  /** Returns accepted requests by subject and features; `refused` is 0. */
  readonly acceptedRows: () => RowsBySubject;
  /** A row for each distinct request and set of circumstances; its first feature identifies the request. */
  readonly repeatedRows: () => RowsBySubject;
  /** Whether an equal request was accepted or refused; true if it is unknown because too many were sent. */
  readonly wasAnswered: (fingerprint: string) => boolean;
  readonly areProven: (assumes: readonly string[]) => boolean;
}

export interface Share {
  /** Number of refused requests, which are also counted in `total`. */
  readonly refused: number;
  /** Refused and accepted requests. */
  readonly total: number;
}

export function shareOf(rows: readonly RequestRow[]): Share {
  const refused = rows.reduce((sum, row) => sum + row.refused, 0);
  return { refused, total: rows.reduce((sum, row) => sum + row.accepted, refused) };
}

export function rateOf({ refused, total }: Share): number {
  return total === 0 ? 0 : refused / total;
}
