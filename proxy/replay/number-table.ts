/**
 * A hash table from 64-bit keys to numbers from 0 on, with open addressing in one typed array: a few bytes for each entry, and no
 * object that the garbage collector has to visit.
 */
export class NumberTable {
  /** For each slot: the number plus one (0 for an empty slot), then the two halves of its key. */
  readonly #slots: Uint32Array;
  readonly #mask: number;

  /** `count`: the largest number of entries that will be added. */
  constructor(count: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * count + 2));
    this.#slots = new Uint32Array(WIDTH * size);
    this.#mask = size - 1;
  }

  /** Adds a number unless its key has one; returns the number that the key has from now on. */
  add(number: number, [high, low]: Bits): number {
    const at = this.#at(high, low);
    const known = (this.#slots[at] ?? 0) - 1;
    if (known !== -1) return known;
    this.#slots[at] = number + 1;
    this.#slots[at + 1] = high;
    this.#slots[at + 2] = low;
    return number;
  }

  /** The number of a key; -1 when it has none. */
  find([high, low]: Bits): number {
    return (this.#slots[this.#at(high, low)] ?? 0) - 1;
  }

  /** Index of the slot of a key, or of the empty slot where it belongs. */
  #at(high: number, low: number): number {
    const slots = this.#slots;
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = WIDTH * slot;
      if (slots[at] === 0 || (slots[at + 1] === high && slots[at + 2] === low)) return at;
    }
  }
}

/** A key: two times 32 bits. */
type Bits = readonly [high: number, low: number];

/** Array elements for each slot. */
const WIDTH = 3;
