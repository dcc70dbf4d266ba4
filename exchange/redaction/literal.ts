import { beginningsOf, neighboursOf, type Written } from './neighbours.ts';
import {
  type Case,
  inCases,
  isSame,
  NOTHING,
  type Pair,
  type Pattern,
  PERHAPS,
  type Replaced,
} from './pattern.ts';

/** Bytes exactly as they are, or with ASCII letters in either case. */
export class Literal implements Pattern {
  readonly length: number;
  readonly precedence: 0 | 1;
  readonly begins: readonly Pair[];
  readonly within: readonly Pair[];
  readonly shortest: number;
  readonly lead = 0;
  readonly #wanted: Uint8Array;
  readonly #stand: Replaced;
  readonly #letters: Case;

  constructor(replaced: Replaced, letters: Case = 'exact') {
    const wanted = replaced.bytes;
    this.#wanted = wanted;
    this.#stand = replaced;
    this.#letters = letters;
    this.precedence = letters === 'exact' ? 0 : 1;
    this.length = wanted.length;
    const places = Array.from(wanted, (byte) => writtenByte(byte, letters));
    this.begins = beginningsOf(places);
    this.within = neighboursOf(places);
    this.shortest = wanted.length;
  }

  leads(): boolean {
    return false;
  }

  match(bytes: Uint8Array, at: number, last: boolean): number {
    for (let k = 0; k < this.length; k += 1) {
      const byte = bytes[at + k];
      if (byte === undefined) return last ? NOTHING : PERHAPS;
      if (!isSame(byte, this.#wanted[k] ?? 0, this.#letters)) return NOTHING;
    }
    return at + this.length;
  }

  replace(bytes: Uint8Array, at: number): void {
    bytes.set(this.#stand.alias, at);
  }
}

function writtenByte(byte: number, letters: Case): Written {
  const bytes = inCases(byte, letters);
  return { first: bytes, last: bytes, single: bytes, begins: [], within: [] };
}
