/** Limits on calls in a row, of one operation and of all, that end with 429 after all retries; beyond them the next is not retried. */
const IN_A_ROW = { ofOne: 5, ofAll: 20 } as const;

/**
 * Decides which calls are retried. Each wait delays all requests, so with a target that always answers 429 a run would last
 * for hours. The first answer of another kind allows retries again.
 */
export class RetryBudget {
  readonly #ofOne = new Map<string, number>();
  #ofAll = 0;

  /** Whether a call of this operation is made again. */
  allows(operation: string): boolean {
    return this.#ofAll < IN_A_ROW.ofAll && (this.#ofOne.get(operation) ?? 0) < IN_A_ROW.ofOne;
  }

  /** A call has ended: with another answer, or with 429 after all its retries. */
  ended(operation: string, how: 'answered' | 'asked for patience'): void {
    const isAnswered = how === 'answered';
    this.#ofAll = isAnswered ? 0 : this.#ofAll + 1;
    this.#ofOne.set(operation, isAnswered ? 0 : (this.#ofOne.get(operation) ?? 0) + 1);
  }
}
