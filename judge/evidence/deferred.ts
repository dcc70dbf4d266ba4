/** The most entries that one addition looks at: looking at all of them each time was the main cost of long traces. */
const LOOKED_AT = 4;

/**
 * Evidence that a later call may explain, until the end of the trace. Each entry returns the evidence as it is known by then, or
 * null if it is explained.
 */
export class Deferred<E> {
  readonly #most: number;
  readonly #entries: (() => E | null)[] = [];

  /** Evidence beyond `most` entries is lost, and never causes a finding. */
  constructor(most = 64) {
    this.#most = most;
  }

  add(settle: () => E | null): void {
    if (this.#entries.length >= this.#most) this.#dropExplained();
    if (this.#entries.length < this.#most) this.#entries.push(settle);
  }

  /** Looks at those that were not looked at for the longest time. */
  #dropExplained(): void {
    const next = this.#entries.splice(0, LOOKED_AT);
    this.#entries.push(...next.filter((entry) => entry() !== null));
  }

  finish(): readonly E[] {
    return this.#entries.flatMap((settle) => settle() ?? []);
  }
}
