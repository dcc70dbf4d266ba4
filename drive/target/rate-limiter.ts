import { setTimeout as pause } from 'node:timers/promises';

/** Longest `Retry-After` that is honoured. A request is not retried after a longer one. */
export const LONGEST_WAIT_MS = 120_000;

/** Milliseconds that a `Retry-After` value asks for, in seconds or as an HTTP date; null if it is neither. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  // `Date.parse` takes almost any text with a number for a date, such as `-5`; HTTP dates have a time.
  const date = /\d\d:\d\d:\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

export class RateLimiter {
  /** Milliseconds between two requests. */
  readonly #gap: number;
  /** Earliest time of the next request, by `performance.now()`. */
  #next = 0;
  /** End of the last wait that the target asked for, by `performance.now()`. */
  #heldUntil = 0;

  /** `rate`: maximum number of requests per second; null for no limit. */
  constructor(rate: number | null) {
    this.#gap = rate === null ? 0 : 1000 / rate;
  }

  /** Rejects with AbortError if `signal` is aborted during the wait. */
  async waitForTurn(signal: AbortSignal | undefined): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#gap;
    if (at > now) await pause(at - now, undefined, signal === undefined ? {} : { signal });
    // The target asked for a pause while this request waited.
    if (at < this.#heldUntil) await this.waitForTurn(signal);
  }

  /** Delays all requests. Returns whether the next one waits at least a second longer than before. */
  hold(milliseconds: number): boolean {
    const now = performance.now();
    const until = now + milliseconds;
    const isLonger = until >= Math.max(this.#next, now) + 1000;
    this.#heldUntil = Math.max(this.#heldUntil, until);
    this.#next = Math.max(this.#next, until);
    return isLonger;
  }
}
