import { firstHeader } from '../../exchange/http/headers.ts';
import type { Call } from '../trace/call.ts';
import { isClosed } from '../trace/response-class.ts';

export interface ConnectionsPart {
  readonly calls: number;
  readonly closed: number;
  /** Null if the target announces no limit. */
  readonly most: number | null;
}

export class ClosedConnections {
  #calls = 0;
  #closed = 0;
  #most: number | null = null;

  call(call: Call): void {
    this.#calls += 1;
    if (isClosed(call.exchange)) this.#closed += 1;
    const { response } = call.exchange;
    const announced =
      response === null ? null : announcedRequests(firstHeader(response.headers, 'keep-alive'));
    if (announced !== null) this.#most = Math.max(this.#most ?? 0, announced);
  }

  get areExplained(): boolean {
    return this.#most !== null && this.#closed <= Math.ceil(this.#calls / this.#most);
  }

  part(): ConnectionsPart {
    return { calls: this.#calls, closed: this.#closed, most: this.#most };
  }

  absorb({ calls, closed, most }: ConnectionsPart): void {
    this.#calls += calls;
    this.#closed += closed;
    if (most !== null) this.#most = Math.max(this.#most ?? 0, most);
  }
}

/** `100` of `timeout=5, max=100`: the requests that the connection still serves; null if it is not announced. */
function announcedRequests(value: string | null): number | null {
  const digits = value === null ? null : /\bmax\s*=\s*(\d+)/i.exec(value)?.[1];
  const most = digits == null ? 0 : Number(digits);
  return most > 0 ? most : null;
}
