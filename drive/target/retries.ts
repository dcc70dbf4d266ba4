import type { Exchange } from '../../exchange/exchange.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import type { Repeat } from '../../exchange/note.ts';
import { LONGEST_WAIT_MS, parseRetryAfter } from './rate-limiter.ts';

/** Maximum attempts after 5xx without `Retry-After`, or without a response from a target that has not restarted. */
export const ATTEMPTS_AFTER_FAILURE = 3;

/** Wait before the first retry without `Retry-After`, for all requests or for one; doubles with each retry. */
const FIRST_WAIT_MS = { all: 500, one: 100 } as const;
/** Consecutive calls, per operation and in total, that may fail despite their retries before retries stop. */
const MAX_CONSECUTIVE_UNSERVED = { perOperation: 5, total: 20 } as const;

export function isTransient({ response, end }: Exchange): boolean {
  if (response === null) return end.how === 'upstream-timeout';
  return response.status === 429 || (response.status >= 500 && response.status !== 501);
}

interface Retry {
  readonly wait: number;
  readonly isForAll: boolean;
  readonly repeat: Repeat;
}

export function planRetry(exchange: Exchange, attempt: number, isRepeatable: boolean): Retry | null {
  const { response, end } = exchange;
  if (response === null) {
    if (!isRepeatable) return null;
    return { wait: 0, isForAll: false, repeat: { why: 'closed', detail: end.detail } };
  }
  if (!isTransient(exchange)) return null;
  const { status } = response;
  const requested = parseRetryAfter(firstHeader(response.headers, 'retry-after'), Date.now());
  const isForAll = status === 429 || requested !== null;
  if (!isForAll && attempt >= ATTEMPTS_AFTER_FAILURE) return null;
  const wait = requested ?? FIRST_WAIT_MS[isForAll ? 'all' : 'one'] * 2 ** (attempt - 1);
  if (wait > LONGEST_WAIT_MS) return null;
  return { wait, isForAll, repeat: { why: 'patience', status, seconds: wait / 1000 } };
}

/** Without a limit, a run would last for hours against a target that always responds with 429 or times out. */
export class RetryBudget {
  readonly #unservedByOperation = new Map<string, number>();
  #unserved = 0;

  allows(operation: string): boolean {
    return (
      this.#unserved < MAX_CONSECUTIVE_UNSERVED.total &&
      (this.#unservedByOperation.get(operation) ?? 0) < MAX_CONSECUTIVE_UNSERVED.perOperation
    );
  }

  /** Whether the last call of the operation was served; true before the first. */
  isServed(operation: string): boolean {
    return (this.#unservedByOperation.get(operation) ?? 0) === 0;
  }

  recordEnd(operation: string, how: 'served' | 'unserved'): void {
    const previous = this.#unservedByOperation.get(operation) ?? 0;
    this.#unserved = how === 'served' ? 0 : this.#unserved + 1;
    this.#unservedByOperation.set(operation, how === 'served' ? 0 : previous + 1);
  }
}
