const INITIAL_SLOTS = 1024;
/** Number of elements per slot: a name and the name that it is linked to, or zeros in an empty slot. */
const SLOT_LENGTH = 2;

/** Sets of linked names. Names are positive integers, so that threads can share the table. */
export class NameLinks {
  #slots: Float64Array;
  #linkCount = 0;

  constructor(slots: Float64Array = emptySlots(INITIAL_SLOTS)) {
    this.#slots = slots;
  }

  get slots(): Float64Array {
    return this.#slots;
  }

  link(one: number, other: number): void {
    const [a, b] = [this.rootOf(one), this.rootOf(other)];
    if (a !== b) this.#set(Math.max(a, b), Math.min(a, b));
  }

  /** Returns the lowest of the names linked with this one; the name itself if it has no link. */
  rootOf(name: number): number {
    let root = name;
    for (let next = this.#get(root); next !== 0; next = this.#get(root)) root = next;
    return root;
  }

  #get(name: number): number {
    return this.#slots[slotOf(this.#slots, name) + 1] ?? 0;
  }

  #set(name: number, to: number): void {
    this.#write(name, to);
    this.#linkCount += 1;
    if (this.#linkCount * SLOT_LENGTH * 2 > this.#slots.length) this.#grow();
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = emptySlots((old.length / SLOT_LENGTH) * 2);
    for (const [name, to] of linksIn(old)) this.#write(name, to);
  }

  #write(name: number, to: number): void {
    const slot = slotOf(this.#slots, name);
    this.#slots[slot] = name;
    this.#slots[slot + 1] = to;
  }
}

export function* linksIn(slots: Float64Array): Generator<readonly [name: number, to: number]> {
  for (let at = 0; at < slots.length; at += SLOT_LENGTH) {
    const name = slots[at] ?? 0;
    if (name !== 0) yield [name, slots[at + 1] ?? 0];
  }
}

function emptySlots(count: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(count * SLOT_LENGTH * Float64Array.BYTES_PER_ELEMENT));
}

function slotOf(slots: Float64Array, name: number): number {
  const count = slots.length / SLOT_LENGTH;
  let slot = name % count;
  while (slots[slot * SLOT_LENGTH] !== 0 && slots[slot * SLOT_LENGTH] !== name) slot = (slot + 1) % count;
  return slot * SLOT_LENGTH;
}
