// Keys that a target stops to accept in the middle of a trace: the account, not the request, is refused then.
import { firstHeader } from '../../../exchange/http/headers.ts';
import { LruMap } from '../../evidence/lru-map.ts';
import type { Call } from '../../trace/call.ts';
import { ordinal, type Tally } from './sent-requests.ts';
import type { UnansweredRequest } from './unanswered.ts';

/** Refusals that are kept; of further ones the cause may be taken for another. */
const KEPT = 20_000;

/** A valid request that was answered 401, 403 or 407. */
interface DeniedRequest {
  readonly key: string;
  readonly ordinal: number;
  readonly tally: Tally;
  /** Whether a scenario sent it. Traffic of others loses its right now and then. */
  readonly isOwn: boolean;
  readonly request: UnansweredRequest;
}

/** Requests that were denied after the last one with the same key that was accepted. */
export class WithdrawnKeys {
  /** Ordinal of the last accepted request, by key. */
  readonly #accepted = new LruMap<number>();
  /** By id of the exchange. */
  readonly #denied = new LruMap<DeniedRequest>(KEPT);

  /** A request was accepted. */
  accept(call: Call): void {
    const key = keyOf(call);
    this.#accepted.set(key, Math.max(ordinal(call), this.#accepted.get(key) ?? 0));
  }

  /** A valid request was denied: `tally` counts it as refused. */
  deny(call: Call, tally: Tally, { subject, assumes }: Pick<UnansweredRequest, 'subject' | 'assumes'>): void {
    const { exchange, status } = call;
    const request = { subject, assumes, exchange: exchange.id, status, why: 'authentication' } as const;
    const isOwn = exchange.scenario !== null;
    this.#denied.set(exchange.id, { key: keyOf(call), ordinal: ordinal(call), tally, isOwn, request });
  }

  /**
   * Ids of those exchanges, and the requests of scenarios among them, which remain without an answer. To be asked once, at the end
   * of the trace: they are taken from their tallies.
   */
  take(): { readonly refused: ReadonlySet<string>; readonly unanswered: readonly UnansweredRequest[] } {
    const found = [...this.#denied.entries()].filter(([, { key, ordinal: begun }]) => {
      const last = this.#accepted.get(key);
      return last !== undefined && begun > last;
    });
    for (const [, { tally }] of found) tally.refused -= 1;
    return {
      refused: new Set(found.map(([exchange]) => exchange)),
      unanswered: found.flatMap(([, { request, isOwn }]) => (isOwn ? [request] : [])),
    };
  }
}

function keyOf({ exchange }: Call): string {
  return firstHeader(exchange.request.headers, 'authorization') ?? '';
}
