/** Result of a match attempt if it is not the end of a match. `PARTIAL_MATCH`: the bytes may end within a match. */
export const NO_MATCH = 0;
export const PARTIAL_MATCH = -1;

/** Longer values are not held back until they are complete: the rest is masked as it arrives. Bytes. */
export const LONGEST_HELD = 16 * 1024;
/** JSON within JSON, six levels deep; with more backslashes it is not read as JSON. */
export const MOST_SLASHES = 64;

/** Something that can be found in bytes and replaced without changing their number. */
export interface Pattern {
  /** Length of the secret; longer patterns are tried first. */
  readonly length: number;
  /** Among equal lengths, lower numbers are tried first: 0 for exact patterns, 1 for those in either case. */
  readonly precedence: 0 | 1;
  /** Pairs of bytes that a match can begin with. */
  readonly begins: readonly Bigram[];
  /** All pairs that can occur in the first `shortest` bytes of a match. */
  readonly within: readonly Bigram[];
  /** Minimum length of a match, from its first pair on. */
  readonly shortest: number;
  /** Bytes before the first pair that are also replaced: 0 or 1. */
  readonly lead: number;
  /** Whether a byte can be the one before the first pair. */
  leads(byte: number): boolean;
  /** End of a match whose first pair is at `at`, NO_MATCH, or, with an open tail only, PARTIAL_MATCH. */
  match(bytes: Uint8Array, at: number, tail: Tail): number;
  /** Replaces the complete match whose first pair is at `at`. */
  replace(bytes: Uint8Array, at: number): void;
  /** Masks the value beyond the end of a match; null if it does not continue. Called before `replace`. */
  rest?(bytes: Uint8Array, at: number): LongValue | null;
}

/** A value that is too long to hold back: the rest is masked as it arrives, in order. */
export interface LongValue {
  /** Masks the value from an offset on. `until`: its end, or the first undecided byte unless it is over. */
  mask(bytes: Uint8Array, from: number, tail: Tail): { readonly until: number; readonly isOver: boolean };
}

/** Bytes to find, and what replaces them. */
export interface Replacement {
  /** Bytes to find: the secret in one encoding. */
  readonly bytes: Uint8Array;
  /** As many bytes, which replace them; may be computed only when it is read. */
  readonly alias: Uint8Array;
}

/** Whether more bytes follow (`open`) or not (`final`). */
export type Tail = 'open' | 'final';

/** Two neighbouring bytes, as `first * 256 + second`. */
export type Bigram = number;

/** Whether ASCII letters match only in their case, or in either. */
export type Case = 'exact' | 'either';

export function isSame(byte: number, wanted: number, letters: Case): boolean {
  return byte === wanted || (letters === 'either' && byte === otherCase(wanted));
}

export function inCases(byte: number, letters: Case): number[] {
  return letters === 'exact' || otherCase(byte) === byte ? [byte] : [byte, otherCase(byte)];
}

function otherCase(byte: number): number {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a ? byte ^ 0x20 : byte;
}

/** The possible spellings of one character, byte or digit. Cached, because computing them is slow. */
export interface Encoding {
  /** Bytes that a spelling can begin with. */
  readonly first: readonly number[];
  /** Bytes that a spelling can end with. */
  readonly last: readonly number[];
  /** Spellings of one byte. */
  readonly single: readonly number[];
  /** Pairs that longer spellings begin with. */
  readonly begins: readonly Bigram[];
  /** All pairs within longer spellings. */
  readonly within: readonly Bigram[];
}

/** All pairs of neighbours in any spelling of consecutive characters. */
export function bigramsOf(places: readonly Encoding[]): Bigram[] {
  const pairs = new Set<Bigram>();
  for (const [i, { last, within }] of places.entries()) {
    for (const pair of within) pairs.add(pair);
    for (const pair of pairsAcross(last, places[i + 1]?.first ?? [])) pairs.add(pair);
  }
  return [...pairs];
}

/** All pairs with which any spelling of these characters can begin. */
export function beginningsOf([place, next]: readonly Encoding[]): Bigram[] {
  if (place === undefined) return [];
  return [...new Set([...place.begins, ...pairsAcross(place.single, next?.first ?? [])])];
}

/** The encoding of a character from its spellings, each a list of positions with the bytes that may be there. */
export function writtenAs(ways: readonly (readonly (readonly number[])[])[]): Encoding {
  const several = ways.filter((way) => way.length > 1);
  return {
    first: unique(ways.flatMap((way) => way[0] ?? [])),
    last: unique(ways.flatMap((way) => way.at(-1) ?? [])),
    single: unique(ways.flatMap((way) => (way.length === 1 ? (way[0] ?? []) : []))),
    begins: unique(several.flatMap((way) => pairsAcross(way[0] ?? [], way[1] ?? []))),
    within: unique(several.flatMap((way) => way.flatMap((here, i) => pairsAcross(here, way[i + 1] ?? [])))),
  };
}

function unique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}

function pairsAcross(before: readonly number[], after: readonly number[]): Bigram[] {
  return before.flatMap((first) => after.map((second) => first * 256 + second));
}

const HEX = '0123456789abcdef';

export function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

export function hexDigits(byte: number): [number, number] {
  return [HEX.charCodeAt(byte >> 4), HEX.charCodeAt(byte & 15)];
}

export function inBothCases(value: number): number[] {
  const digit = HEX[value] ?? '0';
  return [...new Set([digit, digit.toUpperCase()])].map((text) => text.charCodeAt(0));
}

/** Finds one text in a fixed number of spellings. `places`: the spellings of each of its characters. */
export abstract class TextPattern implements Pattern {
  /** Bytes of the text as it is, without escapes. */
  readonly length: number;
  /** 1 if ASCII letters match in either case, otherwise 0. */
  readonly precedence: 0 | 1;
  /** Pairs that any spelling of the text can begin with. */
  readonly begins: readonly Bigram[];
  /** Pairs that can occur in any spelling of the text. */
  readonly within: readonly Bigram[];
  /** Bytes of the text as it is; no spelling is shorter. */
  readonly shortest: number;
  readonly lead = 0;

  protected constructor({ bytes }: Replacement, letters: Case, places: readonly Encoding[]) {
    this.precedence = letters === 'exact' ? 0 : 1;
    this.length = bytes.length;
    this.begins = beginningsOf(places);
    this.within = bigramsOf(places);
    this.shortest = bytes.length;
  }

  /** Always false: a match begins with its first pair. */
  leads(): boolean {
    return false;
  }

  /** End of the match that begins at `at`, NO_MATCH, or, with an open tail only, PARTIAL_MATCH. */
  abstract match(bytes: Uint8Array, at: number, tail: Tail): number;

  /** Writes the alias over the complete match that begins at `at`. */
  abstract replace(bytes: Uint8Array, at: number): void;
}

/** Bytes exactly as they are, or with ASCII letters in either case. */
export class LiteralPattern extends TextPattern {
  readonly #replacement: Replacement;
  readonly #letters: Case;

  constructor(replacement: Replacement, letters: Case = 'exact') {
    super(
      replacement,
      letters,
      Array.from(replacement.bytes, (byte) => singleByte(inCases(byte, letters))),
    );
    this.#replacement = replacement;
    this.#letters = letters;
  }

  /** End of the match that begins at `at`, NO_MATCH, or, with an open tail only, PARTIAL_MATCH. */
  match(bytes: Uint8Array, at: number, tail: Tail): number {
    const wanted = this.#replacement.bytes;
    for (let k = 0; k < this.length; k += 1) {
      const byte = bytes[at + k];
      if (byte === undefined) return tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
      if (!isSame(byte, wanted[k] ?? 0, this.#letters)) return NO_MATCH;
    }
    return at + this.length;
  }

  /** Copies the alias over the match that begins at `at`. */
  replace(bytes: Uint8Array, at: number): void {
    bytes.set(this.#replacement.alias, at);
  }
}

/** The encoding of one byte, which may be any of these. */
export function singleByte(bytes: readonly number[]): Encoding {
  return { first: bytes, last: bytes, single: bytes, begins: [], within: [] };
}
