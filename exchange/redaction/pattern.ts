/** Result of a match attempt: the offset where the match ends, or one of these. */
export const NO_MATCH = 0;
/** The bytes end in what may be the beginning of a match. */
export const PARTIAL_MATCH = -1;

/** Most bytes of a value that is held back until it is complete; the rest of a longer one is masked while it comes. */
export const LONGEST_HELD = 16 * 1024;
/** Most backslashes before an escaped character: JSON within JSON, six deep. With more, it is not read as one. */
export const MOST_SLASHES = 64;

/** Something that can be found in bytes and replaced there without changing their number. */
export interface Pattern {
  /** Length of what it stands for; longer ones are tried first. */
  readonly length: number;
  /** Of patterns of one length, those with the lower number are tried first: 0 for exact ones, 1 for those in either case. */
  readonly precedence: 0 | 1;
  /** Pairs of bytes it can begin with. */
  readonly begins: readonly Bigram[];
  /** Pairs of neighbours that stand anywhere in the first `shortest` bytes of a match, from that pair on. */
  readonly within: readonly Bigram[];
  /** Fewest bytes of a match, from that pair on. */
  readonly shortest: number;
  /** How many bytes before those it begins to replace: 0 or 1. */
  readonly lead: number;
  /** Whether a byte can be the one before. */
  leads(byte: number): boolean;
  /** The end of a match whose first pair is at offset `at`, NO_MATCH, or, with an open tail only, PARTIAL_MATCH. */
  match(bytes: Uint8Array, at: number, tail: Tail): number;
  /** Replaces the complete match whose first pair is at offset `at`, at its length. */
  replace(bytes: Uint8Array, at: number): void;
  /** Masks the value beyond the end of such a match; null where it does not go on. To be asked before the match is replaced. */
  rest?(bytes: Uint8Array, at: number): LongValue | null;
}

/** A value that is longer than what is held back of one: the rest of it is masked while it comes. It counts on being asked in order. */
export interface LongValue {
  /** Masks what belongs to the value from an offset on. `until`: where it ends, or, unless it is over, the first byte that is undecided. */
  mask(bytes: Uint8Array, from: number, tail: Tail): { readonly until: number; readonly isOver: boolean };
}

/** Bytes to be found, and what takes their place: as many bytes. */
export interface Replacement {
  /** The bytes to be found. */
  readonly bytes: Uint8Array;
  /** Bytes of the same number that replace them. */
  readonly alias: Uint8Array;
}

/** Whether further bytes follow those that were given (`open`), or none (`final`). */
export type Tail = 'open' | 'final';

/** Two neighbouring bytes, as `first * 256 + second`. */
export type Bigram = number;

/** Whether ASCII letters match in the case they have only, or in either. */
export type Case = 'exact' | 'either';

/** Whether two bytes are the same, for letters by the given rule. */
export function isSame(byte: number, wanted: number, letters: Case): boolean {
  return byte === wanted || (letters === 'either' && byte === otherCase(wanted));
}

/** A byte in the cases in which it matches. */
export function inCases(byte: number, letters: Case): number[] {
  return letters === 'exact' || otherCase(byte) === byte ? [byte] : [byte, otherCase(byte)];
}

/** An ASCII letter in its other case; any other byte as it is. */
function otherCase(byte: number): number {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a ? byte ^ 0x20 : byte;
}

/** How one character (or byte, or digit) of a text may be written. Made once for each, as making it takes long. */
export interface Encoding {
  /** Bytes that it can begin with, and end with. */
  readonly first: readonly number[];
  /** Bytes that it can end with. */
  readonly last: readonly number[];
  /** Bytes that stand for it alone. */
  readonly single: readonly number[];
  /** The pairs with which a way to write it in several bytes begins; and all pairs of such ways. */
  readonly begins: readonly Bigram[];
  /** Pairs of bytes inside it. */
  readonly within: readonly Bigram[];
}

/** The pairs of neighbours in all that can be written in these places, one behind the other. */
export function bigramsOf(places: readonly Encoding[]): Bigram[] {
  const pairs = new Set<Bigram>();
  for (const [i, { last, within }] of places.entries()) {
    for (const pair of within) pairs.add(pair);
    for (const pair of across(last, places[i + 1]?.first ?? [])) pairs.add(pair);
  }
  return [...pairs];
}

/** The pairs with which all that can be written in these places can begin. */
export function beginningsOf([place, next]: readonly Encoding[]): Bigram[] {
  if (place === undefined) return [];
  return [...new Set([...place.begins, ...across(place.single, next?.first ?? [])])];
}

/** One character that can be written in several ways, each a row of places with the bytes that may stand in each. */
export function writtenAs(ways: readonly (readonly (readonly number[])[])[]): Encoding {
  const several = ways.filter((way) => way.length > 1);
  return {
    first: unique(ways.flatMap((way) => way[0] ?? [])),
    last: unique(ways.flatMap((way) => way.at(-1) ?? [])),
    single: unique(ways.flatMap((way) => (way.length === 1 ? (way[0] ?? []) : []))),
    begins: unique(several.flatMap((way) => across(way[0] ?? [], way[1] ?? []))),
    within: unique(several.flatMap((way) => way.flatMap((here, i) => across(here, way[i + 1] ?? [])))),
  };
}

/** The numbers without repeats. */
function unique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}

/** All pairs of one of these bytes and one of those. */
function across(before: readonly number[], after: readonly number[]): Bigram[] {
  return before.flatMap((first) => after.map((second) => first * 256 + second));
}

/** Digits by value. */
const HEX = '0123456789abcdef';

/** The value of a hexadecimal digit in either case, or -1. */
export function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** The two hexadecimal digits of a byte. */
export function hexDigits(byte: number): [number, number] {
  return [HEX.charCodeAt(byte >> 4), HEX.charCodeAt(byte & 15)];
}

/** The hexadecimal digit of a value, in both cases. */
export function inBothCases(value: number): number[] {
  const digit = HEX[value] ?? '0';
  return [...new Set([digit, digit.toUpperCase()])].map((text) => text.charCodeAt(0));
}

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
