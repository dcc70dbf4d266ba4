import { NOTHING, type Pattern, PERHAPS } from './spelled.ts';

const EMPTY = new Uint8Array(0);

/** Bytes in, as many bytes out, some of them later. */
export interface ByteFilter {
  push(piece: Uint8Array): Uint8Array;
  finish(): Uint8Array;
}

/** Replaces patterns in bytes, whole or in pieces, without changing their number. */
export class Replacer {
  readonly #byFirst: Pattern[][] = Array.from({ length: 256 }, () => []);
  /** 1 for the bytes with which any pattern can begin. */
  readonly #candidates = new Uint8Array(256);
  #any = false;

  add(pattern: Pattern): void {
    for (const byte of pattern.begins) {
      this.#byFirst[byte]?.push(pattern);
      this.#byFirst[byte]?.sort((a, b) => b.length - a.length);
      this.#candidates[byte] = 1;
    }
    this.#any = true;
  }

  /** Where a pattern begins, or -1. */
  find(bytes: Uint8Array): number {
    return this.#any ? this.#next(bytes, 0, true).at : -1;
  }

  /** The same bytes with all patterns replaced; the very same array when there are none. */
  replace(bytes: Uint8Array): Uint8Array {
    return this.#any ? this.settle(bytes, true).bytes : bytes;
  }

  /** For bytes that come in pieces: holds back only a tail that may be the beginning of a match. */
  stream(): ByteFilter {
    let held: Uint8Array = EMPTY;
    return {
      push: (piece) => {
        if (!this.#any) return piece;
        const joined = held.length === 0 ? piece : Buffer.concat([held, piece]);
        const { bytes, until } = this.settle(joined, false);
        held = until === bytes.length ? EMPTY : new Uint8Array(bytes.subarray(until));
        return bytes.subarray(0, until);
      },
      finish: () => {
        const rest = this.replace(held);
        held = EMPTY;
        return rest;
      },
    };
  }

  get isEmpty(): boolean {
    return !this.#any;
  }

  /** Replaces all that can be told; `until` is where the undecided tail begins. Never changes its input. */
  settle(input: Uint8Array, last: boolean): { bytes: Uint8Array; until: number } {
    let bytes = input;
    for (let from = 0; ; ) {
      const { at, end, pattern } = this.#next(bytes, from, last);
      if (at === -1) return { bytes, until: bytes.length };
      if (pattern === null) return { bytes, until: at };
      if (bytes === input) bytes = new Uint8Array(input);
      pattern.replace(bytes, at);
      from = end;
    }
  }

  /** The next match, or (unless these bytes are the last) the next place where one may be beginning. */
  #next(bytes: Uint8Array, from: number, last: boolean): Found {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#candidates[byte] === 0) continue;
      for (const pattern of this.#byFirst[byte] ?? []) {
        const end = pattern.match(bytes, at, last);
        if (end === NOTHING) continue;
        return end === PERHAPS ? { at, end: at, pattern: null } : { at, end, pattern };
      }
    }
    return ABSENT;
  }
}

interface Found {
  readonly at: number;
  readonly end: number;
  readonly pattern: Pattern | null;
}

const ABSENT: Found = { at: -1, end: -1, pattern: null };
