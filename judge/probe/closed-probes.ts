import type { Exchange } from '../../exchange/exchange.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { type Call, isClosedAlone } from '../trace/call.ts';
import { LruMap } from '../trace/lru-map.ts';

export interface ClosedProbe {
  readonly call: Call;
  /** Whether the connection had closed before, and closed again while no other request was in flight. */
  readonly isAgain: boolean;
}

/** Probes whose connection closed, by label, until they are answered. Another request in flight may have been the cause. */
export class ClosedProbes {
  readonly #probes = new LruMap<ClosedProbe>();

  get open(): Iterable<ClosedProbe> {
    return this.#probes.values();
  }

  /** Receives a call whose connection closed. An upload of another length under the same label counts as another request. */
  add(label: string, call: Call): ClosedProbe {
    const before = this.#probes.get(label)?.call.exchange;
    const isAgain =
      before !== undefined && lengthOf(before) === lengthOf(call.exchange) && isClosedAlone(call.exchange);
    const closed = { call, isAgain };
    this.#probes.set(label, closed);
    return closed;
  }

  settle(label: string): void {
    this.#probes.delete(label);
  }
}

function lengthOf({ request }: Exchange): string | null {
  return firstHeader(request.headers, 'content-length');
}
