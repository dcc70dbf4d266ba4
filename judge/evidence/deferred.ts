/** How many looks at entries each addition brings: looking at all of them each time was the main cost of long traces. */
const LOOKS = 4;

/**
 * Evidence that a later call may explain, until the end of the trace. Each entry returns the evidence as it is known by then, or
 * null if it is explained.
 */
export class Deferred<E> {
  readonly #most: number;
  readonly #entries: (() => E | null)[] = [];
  /** Looks that earlier additions did not need. At first all entries can be looked at. */
  #looks: number;

  /** Evidence beyond `most` entries is lost, and never causes a finding. */
  constructor(most = 64) {
    this.#most = most;
    this.#looks = most;
  }

  add(settle: () => E | null): void {
    if (this.#entries.length >= this.#most) this.#dropExplained();
    if (this.#entries.length < this.#most) this.#entries.push(settle);
  }

  /** Drops the first explained one of those that were not looked at for the longest time. */
  #dropExplained(): void {
    this.#looks = Math.min(this.#looks + LOOKS, this.#most);
    for (; this.#looks > 0; this.#looks -= 1) {
      const oldest = this.#entries.shift();
      if (oldest === undefined || oldest() === null) return;
      this.#entries.push(oldest);
    }
  }

  finish(): readonly E[] {
    return this.#entries.flatMap((settle) => settle() ?? []);
  }
}
