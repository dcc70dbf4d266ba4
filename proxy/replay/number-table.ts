/** Numbers from 0 on, found by two times 32 bits each: takes a few bytes for one, and no object. */
export class NumberTable {
  /** Side by side: a number and one (0 where there is none), and the two halves of its bits. */
  readonly #slots: Uint32Array;
  readonly #mask: number;

  /** Room for so many. */
  constructor(count: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * count + 2));
    this.#slots = new Uint32Array(WIDTH * size);
    this.#mask = size - 1;
  }

  /** The number that these bits find from now on: this one, or one that was added before it. */
  add(number: number, [high, low]: Bits): number {
    const at = this.#at(high, low);
    const known = (this.#slots[at] ?? 0) - 1;
    if (known !== -1) return known;
    this.#slots[at] = number + 1;
    this.#slots[at + 1] = high;
    this.#slots[at + 2] = low;
    return number;
  }

  /** -1 when there is none. */
  find([high, low]: Bits): number {
    return (this.#slots[this.#at(high, low)] ?? 0) - 1;
  }

  /** Where it is, or where it would be. */
  #at(high: number, low: number): number {
    const slots = this.#slots;
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = WIDTH * slot;
      if (slots[at] === 0 || (slots[at + 1] === high && slots[at + 2] === low)) return at;
    }
  }
}

type Bits = readonly [high: number, low: number];

const WIDTH = 3;
