import type { UnansweredRequest } from '../requirements/acceptance-facts.ts';
import type { Call } from '../trace/call.ts';
import { callerOf } from '../trace/caller-identity.ts';
import { LruMap } from '../trace/lru-map.ts';
import { numberOf } from '../trace/timed.ts';
import { digestOf, fingerprintOf } from './fingerprint.ts';
import type { SentRequests } from './sent-requests.ts';

/** Beyond this number of requests, refusals may be attributed to the wrong cause. */
const MAX_DENIED = 20_000;

interface DeniedRequest {
  readonly key: string;
  readonly ordinal: number;
  readonly fingerprint: string;
  readonly inFlight: number;
  readonly isOwn: boolean;
  readonly request: UnansweredRequest;
}

/** Finds requests that were denied because their key had been revoked: no later one with the key was accepted. */
export class RevokedKeys {
  /** Number of the last accepted exchange, by key. */
  readonly #accepted = new LruMap<number>();
  readonly #denied = new LruMap<DeniedRequest>(MAX_DENIED);

  accept(call: Call): void {
    this.#noteAccepted(callerOf(call.exchange.request), numberOf(call.exchange.id));
  }

  part() {
    const denied = [...this.#denied.entries()].map(([exchange, { key, fingerprint, request, ...facts }]) => {
      const digests = { key: digestOf(key), fingerprint: digestOf(fingerprint) };
      const assumes = request.assumes.map(digestOf);
      return [exchange, { ...facts, ...digests, request: { ...request, assumes } }] as const;
    });
    const accepted = [...this.#accepted.entries()].map(([key, last]) => [digestOf(key), last] as const);
    return { accepted, denied };
  }

  absorb({ accepted, denied }: ReturnType<RevokedKeys['part']>): void {
    for (const [key, ordinal] of accepted) this.#noteAccepted(key, ordinal);
    for (const [exchange, request] of denied) this.#denied.set(exchange, request);
  }

  deny(
    call: Call,
    inFlight: number,
    { subject, assumes }: Pick<UnansweredRequest, 'subject' | 'assumes'>,
  ): void {
    const { exchange, status } = call;
    const request = { subject, assumes, exchange: exchange.id, status, why: 'authentication' } as const;
    this.#denied.set(exchange.id, {
      key: callerOf(exchange.request),
      ordinal: numberOf(exchange.id),
      fingerprint: fingerprintOf(call),
      inFlight,
      isOwn: exchange.scenario !== null,
      request,
    });
  }

  withdraw(exchange: string): void {
    this.#denied.delete(exchange);
  }

  /** Withdraws refusals for revoked keys from `sent`. `refused`: their exchanges; `unanswered`: those of scenarios. */
  withdrawRevoked(sent: Pick<SentRequests, 'withdraw'>): {
    readonly refused: ReadonlySet<string>;
    readonly unanswered: readonly UnansweredRequest[];
  } {
    const revoked = [...this.#denied.entries()].filter(([, { key, ordinal }]) => {
      const last = this.#accepted.get(key);
      return last !== undefined && ordinal > last;
    });
    for (const [exchange, { fingerprint, inFlight }] of revoked)
      sent.withdraw(fingerprint, exchange, inFlight);
    revoked.sort(([, a], [, b]) => a.ordinal - b.ordinal);
    return {
      refused: new Set(revoked.map(([exchange]) => exchange)),
      unanswered: revoked.flatMap(([, { request, isOwn }]) => (isOwn ? [request] : [])),
    };
  }

  #noteAccepted(key: string, ordinal: number): void {
    this.#accepted.set(key, Math.max(ordinal, this.#accepted.get(key) ?? 0));
  }
}
