/** Calls of one operation, and of all, that end with a plea for patience one after the other: then it is no use to wait for the next. */
const IN_A_ROW = { ofOne: 5, ofAll: 20 } as const;

/**
 * For which calls a target that asks for patience is waited for. Each wait delays all requests, so a target that asks for it without end
 * would make a run last for hours. The first answer of another kind makes it worth waiting again.
 */
export class RetryBudget {
  readonly #ofOne = new Map<string, number>();
  #ofAll = 0;

  /** Whether a call of this operation is made again. */
  allows(operation: string): boolean {
    return this.#ofAll < IN_A_ROW.ofAll && (this.#ofOne.get(operation) ?? 0) < IN_A_ROW.ofOne;
  }

  /** A call has ended: with an answer, or with a plea for patience after all its repetitions. */
  ended(operation: string, how: 'answered' | 'asked for patience'): void {
    const isAnswered = how === 'answered';
    this.#ofAll = isAnswered ? 0 : this.#ofAll + 1;
    this.#ofOne.set(operation, isAnswered ? 0 : (this.#ofOne.get(operation) ?? 0) + 1);
  }
}
