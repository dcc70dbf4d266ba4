import { getOrMake } from '../../schemas/maps.ts';

/** Results of a match attempt other than the end of a match. `PARTIAL_MATCH`: the bytes may end within a match. */
export const NO_MATCH = 0;
export const PARTIAL_MATCH = -1;

export interface Replacement {
  /** Bytes to find: the secret in one encoding. */
  readonly bytes: Uint8Array;
  /** The replacing bytes, equal in number; may be computed on first access. */
  readonly alias: Uint8Array;
}

/** `open`: more bytes may follow; `final`: none do. */
export type Tail = 'open' | 'final';

/** Two neighbouring bytes, as `first * 256 + second`. */
export type Bigram = number;

export type Case = 'exact' | 'either';

export function isSameByte(byte: number, wanted: number, letters: Case): boolean {
  const lower = wanted | 0x20;
  const isOtherCase = byte === (wanted ^ 0x20) && lower >= 0x61 && lower <= 0x7a;
  return byte === wanted || (letters === 'either' && isOtherCase);
}

export function casesOf(byte: number, letters: Case): number[] {
  return [byte, byte ^ 0x20].filter((variant) => isSameByte(variant, byte, letters));
}

export const HEX_DIGITS = '0123456789abcdef';

export function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

export function hexDigits(byte: number): [number, number] {
  return [HEX_DIGITS.charCodeAt(byte >> 4), HEX_DIGITS.charCodeAt(byte & 15)];
}

export type Position = readonly number[];

export function textPositions(text: string, letters: Case = 'exact'): Position[] {
  return Array.from(text, (character) => casesOf(character.charCodeAt(0), letters));
}

/** The positions of a value in hexadecimal digits of either case. `values`: the value, or both cases of a letter. */
export function hexPositions(values: readonly number[], shifts: readonly number[] = [4, 0]): Position[] {
  return shifts.map((shift) =>
    values.flatMap((value) => casesOf(HEX_DIGITS.charCodeAt((value >> shift) & 15), 'either')),
  );
}

export interface Spelling {
  /** How the character is written: as itself, percent-encoded, or as an escape of JSON or HTML. */
  readonly form: 'literal' | 'percent' | 'short' | 'unicode' | 'entity' | 'hex-entity';
  readonly positions: readonly Position[];
  /** Number of bytes of the secret that this spelling represents. */
  readonly size: number;
}

export type ReadResult = Spelling | typeof NO_MATCH | typeof PARTIAL_MATCH;

const NO_SPELLINGS: readonly Spelling[] = [];
/** A byte as itself. Its position lists no bytes, because the byte was compared before. */
export const LITERAL: Spelling = { form: 'literal', positions: [[]], size: 1 };

/** The bytes at either end of the spellings of a character, its one-byte spellings, and its pairs of bytes. */
interface Pairs {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly single: readonly number[];
  readonly begins: readonly Bigram[];
  readonly within: readonly Bigram[];
}

export class SpellingSet {
  readonly #all: readonly Spelling[];
  readonly #byFirstByte: ReadonlyMap<number, readonly Spelling[]>;
  readonly #ends: readonly number[];
  #pairs: Pairs | null = null;

  /** `ends`: additional bytes after which the next character can begin. */
  constructor(spellings: readonly Spelling[], ends: readonly number[] = []) {
    this.#all = spellings;
    this.#ends = ends;
    const byFirst = new Map<number, Spelling[]>();
    for (const spelling of spellings)
      for (const byte of spelling.positions[0] ?? []) getOrMake(byFirst, byte, () => []).push(spelling);
    this.#byFirstByte = byFirst;
  }

  /** Computed on first use, because it takes longer than the constructor. */
  get pairs(): Pairs {
    this.#pairs ??= pairsOf(this.#all, this.#ends);
    return this.#pairs;
  }

  /** The spelling of the character at an offset; NO_MATCH if none is there, PARTIAL_MATCH if more bytes are needed. */
  read(bytes: Uint8Array, at: number, tail: Tail): ReadResult {
    const atEnd = tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
    if (at >= bytes.length) return atEnd;
    for (const spelling of this.#byFirstByte.get(bytes[at] ?? 0) ?? NO_SPELLINGS) {
      const { positions } = spelling;
      let i = 1;
      while (i < positions.length && positions[i]?.includes(bytes[at + i] ?? -1)) i += 1;
      if (i === positions.length) return spelling;
      if (at + i >= bytes.length && atEnd === PARTIAL_MATCH) return atEnd;
    }
    return NO_MATCH;
  }
}

function pairsOf(spellings: readonly Spelling[], ends: readonly number[]): Pairs {
  const longer = spellings.filter(({ positions }) => positions.length > 1);
  const pairsAt = ({ positions }: Spelling, i: number) => pairsAcross(positions[i], positions[i + 1]);
  return {
    first: unique(spellings.flatMap(({ positions }) => positions[0] ?? [])),
    last: unique([...spellings.flatMap(({ positions }) => positions.at(-1) ?? []), ...ends]),
    single: unique(spellings.flatMap(({ positions }) => (positions.length === 1 ? positions.flat() : []))),
    begins: unique(longer.flatMap((spelling) => pairsAt(spelling, 0))),
    within: unique(longer.flatMap((spelling) => spelling.positions.flatMap((_, i) => pairsAt(spelling, i)))),
  };
}

function unique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}

function pairsAcross(before: Position = [], after: Position = []): Bigram[] {
  return before.flatMap((first) => after.map((second) => first * 256 + second));
}

export interface MatchStep {
  /** Number of the character in its pattern, from 0; -1 for the lead. */
  readonly k: number;
  /** Offset of its spelling. */
  readonly at: number;
  /** Offset after its spelling. */
  readonly end: number;
  readonly spelling: Spelling;
}

/** A secret in one or more spellings, to be replaced without changing the number of bytes. */
export abstract class Pattern {
  /** Length of `Replacement.bytes`; longer patterns are tried first. */
  readonly length: number;
  /** Among equal lengths, lower numbers are tried first: 0 for exact patterns, 1 for those in either case. */
  readonly precedence: 0 | 1;
  /** Pairs of bytes that a match can begin with. */
  readonly begins: readonly Bigram[];
  /** All pairs that can occur in a match. */
  readonly within: readonly Bigram[];
  /** Number of characters; no match has fewer bytes. */
  readonly shortest: number;
  /** Number of bytes before a match that are also replaced. */
  readonly lead: 0 | 1 = 0;

  protected constructor(length: number, letters: Case, characters: readonly SpellingSet[]) {
    const pairs = characters.map((character) => character.pairs);
    const [first, second] = pairs;
    this.length = length;
    this.precedence = letters === 'exact' ? 0 : 1;
    this.begins = unique([...(first?.begins ?? []), ...pairsAcross(first?.single, second?.first)]);
    const within = new Set<Bigram>();
    for (const [i, character] of pairs.entries()) {
      for (const pair of character.within) within.add(pair);
      for (const pair of pairsAcross(character.last, pairs[i + 1]?.first)) within.add(pair);
    }
    this.within = [...within];
    this.shortest = characters.length;
  }

  protected abstract read(k: number, bytes: Uint8Array, at: number, tail: Tail): ReadResult;

  /** Whether a byte can be the one before a match. */
  leads(_byte: number): boolean {
    return false;
  }

  protected abstract write(bytes: Uint8Array, steps: readonly MatchStep[]): void;

  /** End of the match that begins at `at`, NO_MATCH, or, with an open tail only, PARTIAL_MATCH. Fills `steps`. */
  match(bytes: Uint8Array, at: number, tail: Tail, steps?: MatchStep[]): number {
    let place = at;
    for (let k = 0; k < this.shortest; ) {
      const spelling = this.read(k, bytes, place, tail);
      if (spelling === NO_MATCH || spelling === PARTIAL_MATCH) return spelling;
      const end = place + spelling.positions.length;
      steps?.push({ k, at: place, end, spelling });
      place = end;
      k += spelling.size;
    }
    return place;
  }

  replace(bytes: Uint8Array, at: number): void {
    const steps: MatchStep[] = [];
    if (this.match(bytes, at, 'final', steps) !== NO_MATCH) this.write(bytes, steps);
  }
}
