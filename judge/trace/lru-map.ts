import { getOrMake } from '../../schemas/maps.ts';

/** Default maximum number of states per map. A dropped state loses evidence, but never causes a finding. */
const MAX_KEYED_STATES = 10_000;

let registeredMaps: Pick<LruMap<never>, 'halve'>[] | null = null;

export interface LruMapShrinker {
  /** Halves every registered map; returns the number of dropped entries. */
  halve(): number;
  end(): void;
}

/** Registers each map created until `end`, to shrink them together. Use it only where one judge runs at a time. */
export function registerLruMaps(): LruMapShrinker {
  const all: Pick<LruMap<never>, 'halve'>[] = [];
  registeredMaps = all;
  return {
    halve: () => all.reduce((sum, map) => sum + map.halve(), 0),
    end: () => {
      if (registeredMaps === all) registeredMaps = null;
    },
  };
}

interface Entry<V> {
  readonly key: string;
  value: V;
  older: Entry<V> | null;
  newer: Entry<V> | null;
}

/**
 * A map that drops its least recently used entry when it is full. Its entries form a linked list, because the first key
 * of a `Map` takes long to find after many deletions; so every operation but iteration and `halve` takes constant time.
 */
export class LruMap<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #max: number;
  readonly #onDrop: ((value: V) => void) | null;
  #oldest: Entry<V> | null = null;
  #newest: Entry<V> | null = null;

  /** `onDrop` is called with each value that `set`, `at` or `halve` drops. */
  constructor(max = MAX_KEYED_STATES, onDrop: ((value: V) => void) | null = null) {
    this.#max = max;
    this.#onDrop = onDrop;
    registeredMaps?.push(this);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Drops the least recently used half, rounded up; returns the number of dropped entries. */
  halve(): number {
    const before = this.#entries.size;
    while (this.#entries.size > before / 2 && this.#oldest !== null) this.#drop(this.#oldest);
    return before - this.#entries.size;
  }

  /** Returns undefined if the key is missing or was dropped; otherwise the entry becomes the most recently used. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#touch(entry);
    return entry.value;
  }

  set(key: string, value: V): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.value = value;
      this.#touch(known);
      return;
    }
    const entry: Entry<V> = { key, value, older: null, newer: null };
    this.#entries.set(key, entry);
    this.#append(entry);
    if (this.#entries.size > this.#max && this.#oldest !== null) this.#drop(this.#oldest);
  }

  at(key: string, make: () => V): V {
    return getOrMake(this, key, make);
  }

  /** Removes an entry without calling `onDrop`; ignores an unknown key. */
  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#cut(entry);
  }

  /** Least recently used first. */
  *values(): Generator<V> {
    for (let entry = this.#oldest; entry !== null; entry = entry.newer) yield entry.value;
  }

  /** Least recently used first; iterating does not count as use. */
  *entries(): Generator<[string, V]> {
    for (let entry = this.#oldest; entry !== null; entry = entry.newer) yield [entry.key, entry.value];
  }

  #drop({ key, value }: Entry<V>): void {
    this.delete(key);
    this.#onDrop?.(value);
  }

  #touch(entry: Entry<V>): void {
    if (entry === this.#newest) return;
    this.#cut(entry);
    this.#append(entry);
  }

  #append(entry: Entry<V>): void {
    entry.older = this.#newest;
    entry.newer = null;
    if (this.#newest === null) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #cut({ older, newer }: Entry<V>): void {
    if (older === null) this.#oldest = newer;
    else older.newer = newer;
    if (newer === null) this.#newest = older;
    else newer.older = older;
  }
}
