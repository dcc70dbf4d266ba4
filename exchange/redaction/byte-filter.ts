import { bufferOn } from '../http/bytes.ts';
import type { Tail } from './pattern.ts';

const EMPTY = new Uint8Array(0);

export interface ByteFilter {
  /** Returns the bytes that can no longer change. */
  push(piece: Uint8Array): Uint8Array;
  /** Returns the rest and ends the filter. */
  finish(): Uint8Array;
}

/** Applies filters in turn. The bytes that `finish` of one filter releases pass through the filters after it. */
export function chainFilters(...filters: readonly ByteFilter[]): ByteFilter {
  return {
    push: (piece) => filters.reduce((bytes, filter) => filter.push(bytes), piece),
    finish: () => filters.reduce<Uint8Array>((rest, filter) => filterWhole(filter, rest), EMPTY),
  };
}

export function filterWhole(filter: ByteFilter, bytes: Uint8Array): Buffer {
  const first = filter.push(bytes);
  const rest = filter.finish();
  if (rest.length === 0) return bufferOn(first);
  return first.length === 0 ? bufferOn(rest) : Buffer.concat([first, rest]);
}

/** Holds a body back until it is complete, for `transform`. A body beyond `maxBytes` goes through the fallback. */
export function bufferingFilter(
  maxBytes: number,
  transform: (body: Buffer) => Uint8Array,
  createFallback: () => ByteFilter,
): ByteFilter {
  const held: Uint8Array[] = [];
  let size = 0;
  let fallback: ByteFilter | null = null;
  const takeHeld = () => Buffer.concat(held.splice(0));
  return {
    push: (piece) => {
      if (fallback !== null) return fallback.push(piece);
      // The bytes are copied, because the pieces of a file share one buffer.
      held.push(new Uint8Array(piece));
      size += piece.length;
      if (size <= maxBytes) return EMPTY;
      fallback = createFallback();
      return fallback.push(takeHeld());
    },
    finish: () => fallback?.finish() ?? transform(takeHeld()),
  };
}

export const PASS_THROUGH: ByteFilter = { push: (bytes) => bytes, finish: () => EMPTY };

/**
 * Holds bytes back until `choose` returns a filter. `choose` returns null if it needs more bytes or, with the tail
 * `final`, if no filter applies: the bytes then pass unchanged.
 */
export function choosingFilter(choose: (start: Uint8Array, tail: Tail) => ByteFilter | null): ByteFilter {
  let held: Uint8Array = EMPTY;
  let chosen: ByteFilter | null = null;
  return {
    push: (piece) => {
      if (chosen !== null) return chosen.push(piece);
      const start = held.length === 0 ? piece : Buffer.concat([held, piece]);
      chosen = choose(start, 'open');
      // The bytes are copied, because the pieces of a file share one buffer.
      held = chosen === null ? new Uint8Array(start) : EMPTY;
      return chosen?.push(start) ?? EMPTY;
    },
    finish: () => {
      if (chosen !== null) return chosen.finish();
      return filterWhole(choose(held, 'final') ?? PASS_THROUGH, held);
    },
  };
}

export class DiffingFilter implements ByteFilter {
  readonly #filter: ByteFilter;
  #held: Uint8Array = EMPTY;
  #isChanged = false;
  #size = 0;

  constructor(filter: ByteFilter) {
    this.#filter = filter;
  }

  /** Whether bytes came out changed, or are held back and may still change. */
  get isChanged(): boolean {
    return this.#isChanged || this.#held.length > 0;
  }

  get size(): number {
    return this.#size;
  }

  push(piece: Uint8Array): Uint8Array {
    this.#size += piece.length;
    return this.#compare(this.#filter.push(piece), piece);
  }

  finish(): Uint8Array {
    return this.#compare(this.#filter.finish(), EMPTY);
  }

  #compare(output: Uint8Array, piece: Uint8Array): Uint8Array {
    const held = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    const expected = held.subarray(0, output.length);
    if (!this.#isChanged && Buffer.compare(output, expected) !== 0) this.#isChanged = true;
    // The bytes are copied, because the pieces of a file share one buffer.
    this.#held = new Uint8Array(held.subarray(output.length));
    return output;
  }
}
