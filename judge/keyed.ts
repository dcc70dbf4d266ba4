/** How many keyed states a selector keeps; what is dropped is lost evidence, never a finding. */
export const KEYED_STATES = 10_000;

/** A map that forgets its least recently used entry when it is full. */
export class Keyed<V> {
  readonly #entries = new Map<string, V>();
  readonly #most: number;

  constructor(most = KEYED_STATES) {
    this.#most = most;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** The value under a key, made when there is none. */
  at(key: string, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Least recently used first. */
  values(): IterableIterator<V> {
    return this.#entries.values();
  }

  entries(): IterableIterator<[string, V]> {
    return this.#entries.entries();
  }
}
