import type { Exchange } from '../../exchange/exchange.ts';
import type { Hint } from '../../exchange/note.ts';
import { MAX_NAMED_CALLS } from './unanswered-calls.ts';

/** Collects requests that got 5xx, and another status when they were retried. */
export class RandomErrors {
  #requests = 0;
  readonly #operations = new Set<string>();
  readonly #statuses = new Set<number>();
  readonly #exchanges: string[] = [];

  add(operation: string, errors: readonly Exchange[]): void {
    if (errors.length === 0) return;
    this.#requests += 1;
    this.#operations.add(operation);
    for (const { response } of errors) if (response !== null) this.#statuses.add(response.status);
    this.#exchanges.push(...errors.map(({ id }) => id));
  }

  get hint(): Hint | null {
    if (this.#requests === 0) return null;
    const exchanges = this.#exchanges.slice(0, MAX_NAMED_CALLS);
    const operations = [...this.#operations].toSorted();
    const statuses = [...this.#statuses].toSorted((a, b) => a - b);
    return { kind: 'errors-at-random', requests: this.#requests, exchanges, operations, statuses };
  }
}
