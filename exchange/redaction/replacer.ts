import { NOTHING, type Pair, type Pattern, PERHAPS } from './spelled.ts';

const EMPTY = new Uint8Array(0);
/** A pattern can hold a pair of bytes; a pattern can begin with it. */
const HELD = 1;
const BEGINS = 2;

/** Bytes in, as many bytes out, some of them later. */
export interface ByteFilter {
  push(piece: Uint8Array): Uint8Array;
  finish(): Uint8Array;
}

/** Replaces patterns in bytes, whole or in pieces, without changing their number. */
export class Replacer {
  readonly #byFirst: Pattern[][] = Array.from({ length: 256 }, () => []);
  /** Whether a pattern can begin with a pair of bytes, and whether one can hold it, by `first * 256 + second`. */
  readonly #pairs = new Uint8Array(65_536);
  /** At so many neighbouring places only what holds the pair at the last of them can begin. */
  #stride = 65_536;
  /** 1 for each byte that a pattern can reach back to. */
  readonly #leads = new Uint8Array(256);
  #any = false;

  add(pattern: Pattern): void {
    for (const first of new Set(pattern.begins.map(([byte]) => byte))) {
      this.#byFirst[first]?.push(pattern);
      this.#byFirst[first]?.sort((a, b) => b.length - a.length);
    }
    for (const pair of pattern.within) this.#mark(pair, HELD);
    for (const pair of pattern.begins) this.#mark(pair, HELD | BEGINS);
    this.#stride = Math.max(1, Math.min(this.#stride, pattern.shortest - 1));
    for (let byte = 0; byte < 256; byte += 1) if (pattern.leads(byte)) this.#leads[byte] = 1;
    this.#any = true;
  }

  #mark([first, second]: Pair, what: number): void {
    const pair = first * 256 + second;
    this.#pairs[pair] = (this.#pairs[pair] ?? 0) | what;
  }

  /** Where a pattern begins, or -1. */
  find(bytes: Uint8Array): number {
    return this.#any ? this.#next(bytes, 0, true).start : -1;
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
      const { at, start, end, pattern } = this.#next(bytes, from, last);
      if (at === -1) return { bytes, until: bytes.length };
      if (pattern === null) return { bytes, until: start };
      if (bytes === input) bytes = new Uint8Array(input);
      pattern.replace(bytes, at);
      from = end;
    }
  }

  /** The next match, or (unless these bytes are the last) the next place where one may be beginning. */
  #next(bytes: Uint8Array, from: number, last: boolean): Found {
    const pairs = this.#pairs;
    const end = bytes.length - 1;
    for (let at = from; at < end; ) {
      const far = at + this.#stride - 1;
      if (far < end && pairs[(bytes[far] ?? 0) * 256 + (bytes[far + 1] ?? 0)] === 0) {
        at = far + 1;
        continue;
      }
      for (const until = Math.min(far + 1, end); at < until; at += 1) {
        if (((pairs[(bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)] ?? 0) & BEGINS) === 0) continue;
        const found = this.#match(bytes, at, from, last);
        if (found !== null) return found;
      }
    }
    if (last || end < from) return ABSENT;
    const found = this.#match(bytes, end, from, last);
    if (found !== null) return found;
    return this.#leads[bytes[end] ?? 0] === 1 ? { at: end, start: end, end, pattern: null } : ABSENT;
  }

  #match(bytes: Uint8Array, at: number, from: number, last: boolean): Found | null {
    let perhaps: Found | null = null;
    for (const pattern of this.#byFirst[bytes[at] ?? 0] ?? []) {
      const start = at - pattern.lead;
      if (start < from) continue;
      const end = pattern.match(bytes, at, last);
      if (end === NOTHING) continue;
      if (end !== PERHAPS && perhaps === null) return { at, start, end, pattern };
      // Held is what any of them reaches back to.
      if (perhaps === null || start < perhaps.start) perhaps = { at, start, end: start, pattern: null };
    }
    return perhaps;
  }
}

interface Found {
  /** Where the pair stands, and where the match begins. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly pattern: Pattern | null;
}

const ABSENT: Found = { at: -1, start: -1, end: -1, pattern: null };
