/**
 * Evidence that a later call may explain, until the end of the trace. Each entry returns the evidence as it is known by then, or
 * null if it is explained.
 */
export class Deferred<E> {
  readonly #most: number;
  #entries: (() => E | null)[] = [];

  /** Evidence beyond `most` entries is lost, and never causes a finding. */
  constructor(most = 64) {
    this.#most = most;
  }

  add(settle: () => E | null): void {
    if (this.#entries.length >= this.#most) this.#entries = this.#entries.filter((entry) => entry() !== null);
    if (this.#entries.length < this.#most) this.#entries.push(settle);
  }

  finish(): readonly E[] {
    return this.#entries.flatMap((settle) => settle() ?? []);
  }
}
