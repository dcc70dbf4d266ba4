import type { Timed } from './timed.ts';

/** The earliest distinct texts, each with its earliest time, up to a maximum. */
export class FirstTexts {
  readonly #max: number;
  readonly #times = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  get texts(): readonly string[] {
    return this.part().map(([text]) => text);
  }

  /** Texts in alphabetical order, each with its first exchange; null for time 0. Times must be numbers of exchanges. */
  get withExchanges(): readonly (readonly [text: string, exchange: string | null])[] {
    return [...this.#times]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([text, at]) => [text, at === 0 ? null : `e${at}`]);
  }

  get size(): number {
    return this.#times.size;
  }

  /** Beyond the maximum, the latest text is dropped. */
  add(text: string, at: number): void {
    const known = this.#times.get(text);
    if (known !== undefined) {
      if (at < known) this.#times.set(text, at);
      return;
    }
    this.#times.set(text, at);
    if (this.#times.size > this.#max) this.#dropLatest();
  }

  part(): readonly (readonly [text: string, at: number])[] {
    return [...this.#times].toSorted(([, a], [, b]) => a - b);
  }

  absorb(part: readonly (readonly [text: string, at: number])[]): void {
    for (const [text, at] of part) this.add(text, at);
  }

  #dropLatest(): void {
    let latest: readonly [string, number] | null = null;
    for (const entry of this.#times) if (latest === null || entry[1] >= latest[1]) latest = entry;
    if (latest !== null) this.#times.delete(latest[0]);
  }
}

/** The earliest facts, up to a maximum, including duplicates. */
export class FirstFacts<T extends Pick<Timed<unknown>, 'at'>> {
  readonly #max: number;
  #facts: T[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get all(): readonly T[] {
    return this.#facts.toSorted((a, b) => a.at - b.at);
  }

  /** The fact must be later than the known ones. */
  add(fact: T): void {
    if (this.#facts.length < this.#max) this.#facts.push(fact);
  }

  /** Keeps the earliest, up to the maximum, each as `restate` returns it. */
  absorb(others: readonly T[], restate = (fact: T): T => fact): void {
    const all = [...this.#facts, ...others].toSorted((a, b) => a.at - b.at);
    this.#facts = all.slice(0, this.#max).map(restate);
  }
}
