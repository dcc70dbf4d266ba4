import { beginningsOf, bigramsOf, type Encoding } from './bigrams.ts';
import {
  type Bigram,
  type Case,
  inCases,
  isSame,
  NO_MATCH,
  PARTIAL_MATCH,
  type Pattern,
  type Replacement,
  type Tail,
} from './pattern.ts';

/** Bytes exactly as they are, or with ASCII letters in either case. */
export class LiteralPattern implements Pattern {
  readonly length: number;
  readonly precedence: 0 | 1;
  readonly begins: readonly Bigram[];
  readonly within: readonly Bigram[];
  readonly shortest: number;
  readonly lead = 0;
  readonly #wanted: Uint8Array;
  readonly #stand: Replacement;
  readonly #letters: Case;

  constructor(replacement: Replacement, letters: Case = 'exact') {
    const wanted = replacement.bytes;
    this.#wanted = wanted;
    this.#stand = replacement;
    this.#letters = letters;
    this.precedence = letters === 'exact' ? 0 : 1;
    this.length = wanted.length;
    const places = Array.from(wanted, (byte) => writtenByte(byte, letters));
    this.begins = beginningsOf(places);
    this.within = bigramsOf(places);
    this.shortest = wanted.length;
  }

  /** A match begins at its first pair: the byte before it is never replaced. */
  leads(): boolean {
    return false;
  }

  /** See `Pattern.match`. */
  match(bytes: Uint8Array, at: number, tail: Tail): number {
    for (let k = 0; k < this.length; k += 1) {
      const byte = bytes[at + k];
      if (byte === undefined) return tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
      if (!isSame(byte, this.#wanted[k] ?? 0, this.#letters)) return NO_MATCH;
    }
    return at + this.length;
  }

  /** Writes the alias over a match that begins at an offset. */
  replace(bytes: Uint8Array, at: number): void {
    bytes.set(this.#stand.alias, at);
  }
}

function writtenByte(byte: number, letters: Case): Encoding {
  const bytes = inCases(byte, letters);
  return { first: bytes, last: bytes, single: bytes, begins: [], within: [] };
}
