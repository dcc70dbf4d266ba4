import type { ByteFilter } from '../../redaction/redactor.ts';

/** A filter that reports whether it has changed anything. As many bytes come out as go in, some of them later. */
export class FilteredBytes implements ByteFilter {
  readonly #filter: ByteFilter;
  /** Bytes that went in and have not come out. */
  #held: Uint8Array = new Uint8Array(0);
  #isChanged = false;
  #size = 0;

  constructor(filter: ByteFilter) {
    this.#filter = filter;
  }

  /** Whether bytes came out changed, or wait and may still change. */
  get isChanged(): boolean {
    return this.#isChanged || this.#held.length > 0;
  }

  /** Bytes that went in. */
  get size(): number {
    return this.#size;
  }

  push(piece: Uint8Array): Uint8Array {
    this.#size += piece.length;
    return this.#compared(this.#filter.push(piece), piece);
  }

  finish(): Uint8Array {
    return this.#compared(this.#filter.finish(), new Uint8Array(0));
  }

  /** Compares bytes that came out with those that went in. */
  #compared(out: Uint8Array, piece: Uint8Array): Uint8Array {
    const held = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    const expected = held.subarray(0, out.length);
    if (!this.#isChanged && Buffer.compare(out, expected) !== 0) this.#isChanged = true;
    // Copied: pieces of a file are read into the same memory.
    this.#held = new Uint8Array(held.subarray(out.length));
    return out;
  }
}
