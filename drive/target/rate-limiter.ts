import { setTimeout as pause } from 'node:timers/promises';

/** When the next request may go out: at most so many in a second, and none before a target asked us to wait for. */
export class RateLimiter {
  /** Milliseconds between two requests. */
  readonly #gap: number;
  /** Earliest time of the next request, by `performance.now()`. */
  #next = 0;

  /** `rate` in requests per second; null for as fast as it goes. */
  constructor(rate: number | null) {
    this.#gap = rate === null ? 0 : 1000 / rate;
  }

  /** Resolves when the caller may send; rejects with an AbortError when stopped before. */
  async turn(stop: AbortSignal | undefined): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#gap;
    if (at > now) await pause(at - now, undefined, stop === undefined ? {} : { signal: stop });
  }

  /** Delays all requests by so many milliseconds. */
  hold(milliseconds: number): void {
    this.#next = Math.max(this.#next, performance.now() + milliseconds);
  }
}

/** Milliseconds that a `Retry-After` value asks for (seconds, or a date of HTTP), or null when it says nothing. */
export function retryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
