import type { Exchange } from '../../exchange/exchange.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import type { Call } from '../trace/call.ts';
import { isClosedAlone } from '../trace/closed-connection.ts';
import { LruMap } from '../trace/lru-map.ts';

export interface ClosedProbe {
  readonly call: Call;
  /** Whether the connection of an equal request closed before, and this one closed while no other exchange ended. */
  readonly hasClosedAgain: boolean;
}

/** Probes whose connection closed, by label, until a request with the label gets a response. */
export class ClosedProbes {
  readonly #probes = new LruMap<ClosedProbe>();

  get unsettled(): Iterable<ClosedProbe> {
    return this.#probes.values();
  }

  /** Under one label, an upload of another length is another request. */
  add(label: string, call: Call): ClosedProbe {
    const before = this.#probes.get(label)?.call.exchange;
    const hasClosedAgain =
      before !== undefined && lengthOf(before) === lengthOf(call.exchange) && isClosedAlone(call.exchange);
    const closed = { call, hasClosedAgain };
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
