// Requests of scenarios that a target answered with 429 or 5xx, or not in time, and the moments at which it answered others: they show
// whether it breaks down for something that requests say, or for a time.
import type { Call } from '../../trace/call.ts';
import { digestOf } from './sent-part.ts';

/** Failed requests that are kept; further ones show nothing. */
const KEPT = 5000;
/** Accepted requests whose place is kept. */
const PLACES = 50_000;

/** A request with its features, whose answer is a failure of the target. */
export interface FailedRequest {
  /** Operation and variant. */
  readonly subject: string;
  readonly features: readonly string[];
  /** Of a request for which a 2xx was due: facts that other requests have to show. Null for any other. */
  readonly assumes: readonly string[] | null;
  readonly exchange: string;
  readonly scenario: string;
  /** Null where no answer came in time. */
  readonly status: number | null;
  /** Whether it breaks a constraint: no evidence is expected of its answer. */
  readonly isViolation: boolean;
  /** The text that equal requests have in common. */
  readonly fingerprint: string;
  /** How many exchanges had ended when it was sent, and with its end. */
  readonly after: number;
  readonly at: number;
  /** How many others were under way when it was sent. */
  readonly beside: number;
}

/** When an accepted request was sent. */
export interface AcceptedPlace {
  readonly subject: string;
  /** How many exchanges had ended when it was sent, and with its end. */
  readonly after: number;
  readonly at: number;
  /** How many others were under way when it was sent. */
  readonly beside: number;
}

/** Failed requests in one part of the traffic: fingerprints and assumptions as digests. */
export interface FailedPart {
  readonly failed: readonly FailedRequest[];
  readonly accepted: readonly AcceptedPlace[];
}

/** All failed requests of scenarios, in bounded memory. */
export class FailedRequests {
  #failed: FailedRequest[] = [];
  #accepted: AcceptedPlace[] = [];

  /** In the order in which they ended. */
  get all(): readonly FailedRequest[] {
    return this.#failed.toSorted(inTime);
  }

  /** In the order in which they ended. */
  get accepted(): readonly AcceptedPlace[] {
    return this.#accepted.toSorted(inTime);
  }

  add(request: FailedRequest): void {
    if (this.#failed.length < KEPT) this.#failed.push(request);
  }

  /** A request of a scenario was accepted. */
  accept(place: AcceptedPlace): void {
    if (this.#accepted.length < PLACES) this.#accepted.push(place);
  }

  /** The content of a partial verdict. */
  part(): FailedPart {
    const failed = this.#failed.map(({ assumes, fingerprint, ...facts }) => ({
      ...facts,
      assumes: assumes?.map(digestOf) ?? null,
      fingerprint: digestOf(fingerprint),
    }));
    return { failed, accepted: this.#accepted };
  }

  /** Adds what another part of the traffic shows. */
  absorb({ failed, accepted }: FailedPart): void {
    this.#failed = [...this.#failed, ...failed].toSorted(inTime).slice(0, KEPT);
    this.#accepted = [...this.#accepted, ...accepted].toSorted(inTime).slice(0, PLACES);
  }
}

/** No two exchanges end with the same number. */
function inTime(a: { readonly at: number }, b: { readonly at: number }): number {
  return a.at - b.at;
}

/** Statuses that speak of the account, or of what it asks for: 402 and 413. */
const OF_ACCOUNT: readonly (number | null)[] = [402, 413];

/** Whether a target answered a request of a scenario with 429 or 5xx, or not in time. */
export function isTargetFailure({ exchange, responseClass, status }: Call): boolean {
  if (exchange.scenario === null || OF_ACCOUNT.includes(status)) return false;
  return responseClass === 'failed' || responseClass === 'capacity';
}
