/** Numbers from 0 on, found by two times 32 bits each: takes a few bytes for one, and no object. */
export class NumberTable {
  /** Of each number: high, low. */
  readonly #bits: Uint32Array;
  /** A number and one; 0 where there is none. */
  readonly #slots: Uint32Array;
  readonly #mask: number;

  /** Room for the numbers below `count`. */
  constructor(count: number) {
    this.#bits = new Uint32Array(2 * count);
    const size = 2 ** Math.ceil(Math.log2(2 * count + 2));
    this.#slots = new Uint32Array(size);
    this.#mask = size - 1;
  }

  /** The number that these bits find from now on: this one, or one that was added before it. */
  add(number: number, [high, low]: Bits): number {
    const slot = this.#slot(high, low);
    const known = (this.#slots[slot] ?? 0) - 1;
    if (known !== -1) return known;
    this.#bits[2 * number] = high;
    this.#bits[2 * number + 1] = low;
    this.#slots[slot] = number + 1;
    return number;
  }

  /** -1 when there is none. */
  find([high, low]: Bits): number {
    return (this.#slots[this.#slot(high, low)] ?? 0) - 1;
  }

  /** Where it is, or where it would be. */
  #slot(high: number, low: number): number {
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number === -1) return slot;
      if (this.#bits[2 * number] === high && this.#bits[2 * number + 1] === low) return slot;
    }
  }
}

type Bits = readonly [high: number, low: number];
