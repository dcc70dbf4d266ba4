// Keys that a target stops to accept in the middle of a trace: the account, not the request, is refused then.
import { firstHeader } from '../../../exchange/http/headers.ts';
import { LruMap } from '../../evidence/lru-map.ts';
import type { Call } from '../../trace/call.ts';
import { digestOf } from './sent-part.ts';
import { fingerprintOf, ordinal, type SentRequests } from './sent-requests.ts';
import type { UnansweredRequest } from './unanswered.ts';

/** Refusals that are kept; of further ones the cause may be taken for another. */
const KEPT = 20_000;

/** A valid request that was answered 401, 403 or 407. */
interface DeniedRequest {
  readonly key: string;
  readonly ordinal: number;
  /** The text that equal requests have in common. */
  readonly fingerprint: string;
  /** How many others were under way. */
  readonly beside: number;
  /** Whether a scenario sent it. Traffic of others loses its right now and then. */
  readonly isOwn: boolean;
  readonly request: UnansweredRequest;
}

/** Denied requests, and how far keys were accepted, in one part of the traffic: keys and fingerprints as digests. */
export interface KeysPart {
  readonly accepted: readonly (readonly [key: string, ordinal: number])[];
  readonly denied: readonly (readonly [exchange: string, request: DeniedRequest])[];
}

/** Requests that were denied after the last one with the same key that was accepted. */
export class WithdrawnKeys {
  /** Ordinal of the last accepted request, by key. */
  readonly #accepted = new LruMap<number>();
  /** By id of the exchange. */
  readonly #denied = new LruMap<DeniedRequest>(KEPT);

  /** A request was accepted. */
  accept(call: Call): void {
    this.#acceptedAt(keyOf(call), ordinal(call));
  }

  /** The content of a partial verdict. */
  part(): KeysPart {
    const denied = [...this.#denied.entries()].map(([exchange, { key, fingerprint, request, ...facts }]) => {
      const assumes = request.assumes.map(digestOf);
      const digests = {
        key: digestOf(key),
        fingerprint: digestOf(fingerprint),
        request: { ...request, assumes },
      };
      return [exchange, { ...facts, ...digests }] as const;
    });
    return { accepted: [...this.#accepted.entries()].map(([key, at]) => [digestOf(key), at]), denied };
  }

  /** Adds those of another part of the traffic. */
  absorb({ accepted, denied }: KeysPart): void {
    for (const [key, at] of accepted) this.#acceptedAt(key, at);
    for (const [exchange, request] of denied) this.#denied.set(exchange, request);
  }

  /** A valid request was denied, while so many others were under way. */
  deny(
    call: Call,
    beside: number,
    { subject, assumes }: Pick<UnansweredRequest, 'subject' | 'assumes'>,
  ): void {
    const { exchange, status } = call;
    const request = { subject, assumes, exchange: exchange.id, status, why: 'authentication' } as const;
    const isOwn = exchange.scenario !== null;
    this.#denied.set(exchange.id, {
      key: keyOf(call),
      ordinal: ordinal(call),
      fingerprint: fingerprintOf(call),
      beside,
      isOwn,
      request,
    });
  }

  /** The refusal of a request was in order for another reason. */
  withdraw(exchange: string): void {
    this.#denied.delete(exchange);
  }

  /**
   * Ids of those exchanges, and the requests of scenarios among them, which remain without an answer. To be asked once, at the end
   * of the trace: they are taken from their tallies in `sent`.
   */
  take(sent: Pick<SentRequests, 'withdraw'>): {
    readonly refused: ReadonlySet<string>;
    readonly unanswered: readonly UnansweredRequest[];
  } {
    const found = [...this.#denied.entries()].filter(([, { key, ordinal: begun }]) => {
      const last = this.#accepted.get(key);
      return last !== undefined && begun > last;
    });
    for (const [exchange, { fingerprint, beside }] of found) sent.withdraw(fingerprint, exchange, beside);
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

function keyOf({ exchange }: Call): string {
  return firstHeader(exchange.request.headers, 'authorization') ?? '';
}
