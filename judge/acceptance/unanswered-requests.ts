// Valid requests of scenarios that never got a meaningful response: only 5xx, overload, or nothing. Other traffic
// contains such requests now and then; a scenario sends a request only for its response.
import { firstHeader } from '../../exchange/http/headers.ts';
import type { FailedRequest, UnansweredRequest } from '../requirements/refusals.ts';
import { type Call, undecidedReason } from '../trace/call.ts';
import { LruMap } from '../trace/lru-map.ts';
import { isClosed, isClosedAlone } from '../trace/response-class.ts';
import { numberOf } from '../trace/timed.ts';
import { digestOf, fingerprintOf, ordinal, type SentRequests } from './sent-requests.ts';

/** Maximum number of requests kept; the oldest is dropped first. One is enough for a verdict. */
const MOST_UNANSWERED = 1000;

/** Maximum number of exchanges of equal requests. */
const MOST_CLOSED = 20;

/** Requests without a meaningful response, until an equal one is accepted. Memory is bounded. */
export class UnansweredRequests {
  readonly #open = new LruMap<UnansweredRequest>(MOST_UNANSWERED);

  /** Keeps the first of equal requests, and whether the connection closes each time. */
  add(fingerprint: string, call: Call, { subject, assumes, features }: ExpectedRequest): void {
    const why = reasonOf(call);
    if (why === null) return;
    const known = this.#open.get(fingerprint);
    if (known !== undefined) {
      const { isClosedEachTime: _, ...others } = known;
      const isAgain = known.closed !== undefined && isClosedAlone(call.exchange);
      const exchanges = [...(known.closed?.exchanges ?? []), call.exchange.id].slice(0, MOST_CLOSED);
      this.#open.set(
        fingerprint,
        isAgain ? { ...known, isClosedEachTime: true, closed: { features, exchanges } } : others,
      );
      return;
    }
    this.#open.set(fingerprint, {
      ...{ subject, assumes, exchange: call.exchange.id, status: call.status, why },
      ...(isClosed(call.exchange) && { closed: { features, exchanges: [call.exchange.id] } }),
    });
  }

  /** Forgets that the connection closed, because an equal request was refused; the request stays unanswered. */
  refuse(fingerprint: string): void {
    const known = this.#open.get(fingerprint);
    if (known === undefined) return;
    const { closed: _, isClosedEachTime: __, ...others } = known;
    this.#open.set(fingerprint, others);
  }

  /** Removes the request: an equal one was answered. */
  settle(fingerprint: string): void {
    this.#open.delete(fingerprint);
  }

  /** Returns the requests without an accepted equal in `sent`, by exchange number. */
  allBut(sent: Pick<SentRequests, 'wasAccepted'>): readonly UnansweredRequest[] {
    return [...this.#open.entries()]
      .flatMap(([fingerprint, request]) => (sent.wasAccepted(fingerprint) ? [] : [request]))
      .toSorted((a, b) => numberOf(a.exchange) - numberOf(b.exchange));
  }

  /** Returns the requests with digests of their fingerprints and assumptions. */
  part(): readonly (readonly [fingerprint: string, request: UnansweredRequest])[] {
    return [...this.#open.entries()].map(([fingerprint, request]) => [
      digestOf(fingerprint),
      { ...request, assumes: request.assumes.map(digestOf) },
    ]);
  }

  /** Adds requests of another part; keeps the one with the lowest exchange number among equal requests. */
  absorb(part: ReturnType<UnansweredRequests['part']>): void {
    for (const [fingerprint, request] of part) {
      const known = this.#open.get(fingerprint);
      if (known === undefined || numberOf(request.exchange) < numberOf(known.exchange))
        this.#open.set(fingerprint, request);
    }
  }
}

interface ExpectedRequest extends Pick<UnansweredRequest, 'subject' | 'assumes'> {
  readonly features: readonly string[];
}

/** Why a response shows nothing; null if it is meaningful, or if the scenario aborted the request. */
export function reasonOf(call: Call): UnansweredRequest['why'] | null {
  const { exchange, responseClass } = call;
  const { scenario, end } = exchange;
  if (scenario === null || end.how === 'client-abort' || end.how === 'recorder-killed') return null;
  switch (responseClass) {
    case 'failed':
      return undecidedReason(call) ?? 'target-error';
    case 'capacity':
      return 'capacity';
    case 'unanswered':
      return 'protocol';
    default:
      return undecidedReason(call);
  }
}

/** Returns the request with digests of its fingerprint, assumptions and control. */
export function failedWithDigests({ assumes, fingerprint, probe, ...facts }: FailedRequest): FailedRequest {
  const control = probe?.control ?? null;
  return {
    ...facts,
    probe: probe && { ...probe, control: control && digestOf(control) },
    assumes: assumes?.map(digestOf) ?? null,
    fingerprint: digestOf(fingerprint),
  };
}

/** Statuses that concern the account or its limits. */
const OF_ACCOUNT: readonly (number | null)[] = [402, 413];

/** Whether a request of a scenario got 429, 5xx or a timeout for another reason than its model. */
export function isTargetFailure(call: Call): boolean {
  const { exchange, responseClass, status } = call;
  if (exchange.scenario === null || OF_ACCOUNT.includes(status)) return false;
  if (responseClass === 'failed') return undecidedReason(call) === null;
  return responseClass === 'capacity';
}

/** Maximum number of denied requests kept. Beyond it, refusals may be attributed to the wrong cause. */
const MOST_DENIED = 20_000;

interface DeniedRequest {
  readonly key: string;
  readonly ordinal: number;
  readonly fingerprint: string;
  readonly inFlight: number;
  readonly isOwn: boolean;
  readonly request: UnansweredRequest;
}

/** Requests denied after the last accepted one with the same key: the key was revoked. */
export class WithdrawnKeys {
  readonly #accepted = new LruMap<number>();
  readonly #denied = new LruMap<DeniedRequest>(MOST_DENIED);

  /** Records that the key of this call was valid when the call began. */
  accept(call: Call): void {
    this.#acceptedAt(apiKeyOf(call), ordinal(call));
  }

  /** Returns the keys and requests with digests of keys, fingerprints and assumptions. */
  part() {
    const denied = [...this.#denied.entries()].map(([exchange, { key, fingerprint, request, ...facts }]) => {
      const assumes = request.assumes.map(digestOf);
      const digests = {
        key: digestOf(key),
        fingerprint: digestOf(fingerprint),
        request: { ...request, assumes },
      };
      return [exchange, { ...facts, ...digests }] as const;
    });
    const accepted = [...this.#accepted.entries()].map(([key, at]) => [digestOf(key), at] as const);
    return { accepted, denied };
  }

  /** Adds another part; the latest accepted exchange of each key counts. */
  absorb({ accepted, denied }: ReturnType<WithdrawnKeys['part']>): void {
    for (const [key, at] of accepted) this.#acceptedAt(key, at);
    for (const [exchange, request] of denied) this.#denied.set(exchange, request);
  }

  /** Keeps a call answered with 401, 403 or 407. `inFlight`: number of other requests then in flight. */
  deny(
    call: Call,
    inFlight: number,
    { subject, assumes }: Pick<UnansweredRequest, 'subject' | 'assumes'>,
  ): void {
    const { exchange, status } = call;
    const request = { subject, assumes, exchange: exchange.id, status, why: 'authentication' } as const;
    const isOwn = exchange.scenario !== null;
    this.#denied.set(exchange.id, {
      key: apiKeyOf(call),
      ordinal: ordinal(call),
      fingerprint: fingerprintOf(call),
      inFlight,
      isOwn,
      request,
    });
  }

  /** Drops the denied call with this exchange id: its refusal turned out to be justified. */
  withdraw(exchange: string): void {
    this.#denied.delete(exchange);
  }

  /**
   * `refused`: exchanges denied for a revoked key; `unanswered`: the requests of scenarios among them. Call it once,
   * at the end of the trace: it removes them from the counts in `sent`.
   */
  take(sent: Pick<SentRequests, 'withdraw'>): {
    readonly refused: ReadonlySet<string>;
    readonly unanswered: readonly UnansweredRequest[];
  } {
    const found = [...this.#denied.entries()].filter(([, { key, ordinal: begun }]) => {
      const last = this.#accepted.get(key);
      return last !== undefined && begun > last;
    });
    for (const [exchange, { fingerprint, inFlight }] of found) sent.withdraw(fingerprint, exchange, inFlight);
    found.sort(([, a], [, b]) => a.ordinal - b.ordinal);
    return {
      refused: new Set(found.map(([exchange]) => exchange)),
      unanswered: found.flatMap(([, { request, isOwn }]) => (isOwn ? [request] : [])),
    };
  }

  #acceptedAt(key: string, at: number): void {
    this.#accepted.set(key, Math.max(at, this.#accepted.get(key) ?? 0));
  }
}

function apiKeyOf({ exchange }: Call): string {
  return firstHeader(exchange.request.headers, 'authorization') ?? '';
}
