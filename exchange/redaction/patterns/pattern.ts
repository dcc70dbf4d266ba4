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
