import type { Exchange } from '../../exchange/exchange.ts';
import type { Hint } from '../../exchange/note.ts';
import { MAX_NAMED_CALLS } from './unanswered-calls.ts';

/** Requests that got 5xx, and another status when they were retried. */
export class RandomErrors {
  #requests = 0;
  readonly #statuses = new Set<number>();
  readonly #operations = new Set<string>();
  readonly #exchanges: string[] = [];

  /** Adds a request that got another status after 5xx. `errors`: its exchanges that ended with 5xx; may be empty. */
  add(operation: string, errors: readonly Exchange[]): void {
    if (errors.length === 0) return;
    this.#requests += 1;
    this.#operations.add(operation);
    for (const { id, response } of errors) {
      if (response !== null) this.#statuses.add(response.status);
      if (this.#exchanges.length < MAX_NAMED_CALLS) this.#exchanges.push(id);
    }
  }

  /** A hint about these requests; null if there are none. */
  get hint(): Hint | null {
    if (this.#requests === 0) return null;
    return {
      kind: 'errors-at-random',
      requests: this.#requests,
      exchanges: this.#exchanges,
      operations: [...this.#operations].toSorted(),
      statuses: [...this.#statuses].toSorted((a, b) => a - b),
    };
  }
}
