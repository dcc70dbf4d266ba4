/** Average number of checks per addition: checking all entries each time would dominate the cost of long traces. */
const CHECKS_PER_ADDITION = 4;

/** Evidence that a later call may explain until the end of the trace. An entry returns null once it is explained. */
export class Deferred<E> {
  readonly #max: number;
  readonly #entries: (() => E | null)[] = [];
  #checksLeft: number;

  /** Beyond `max` entries, evidence may be lost, which never causes a finding. */
  constructor(max = 64) {
    this.#max = max;
    this.#checksLeft = max;
  }

  /** At the maximum, an entry replaces an explained entry; if the checks find none, the new entry is lost. */
  add(settle: () => E | null): void {
    if (this.#entries.length >= this.#max) this.#dropExplained();
    if (this.#entries.length < this.#max) this.#entries.push(settle);
  }

  #dropExplained(): void {
    this.#checksLeft = Math.min(this.#checksLeft + CHECKS_PER_ADDITION, this.#max);
    for (; this.#checksLeft > 0; this.#checksLeft -= 1) {
      const oldest = this.#entries.shift();
      if (oldest === undefined || oldest() === null) return;
      this.#entries.push(oldest);
    }
  }

  finish(): readonly E[] {
    return this.#entries.flatMap((settle) => settle() ?? []);
  }
}
