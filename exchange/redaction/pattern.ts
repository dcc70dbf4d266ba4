import { getOrMake } from '../../schemas/maps.ts';
import { hasShortEscape } from './alias.ts';

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

type Case = 'exact' | 'either';

export function isSameByte(byte: number, wanted: number, letters: Case): boolean {
  const lower = wanted | 0x20;
  const isOtherCase = byte === (wanted ^ 0x20) && lower >= 0x61 && lower <= 0x7a;
  return byte === wanted || (letters === 'either' && isOtherCase);
}

export function casesOf(byte: number, letters: Case): number[] {
  return [byte, byte ^ 0x20].filter((one) => isSameByte(one, byte, letters));
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

export type Position = readonly number[];

export function textPositions(text: string, letters: Case = 'exact'): Position[] {
  return Array.from(text, (character) => casesOf(character.charCodeAt(0), letters));
}

/** The positions of a value in hexadecimal digits of either case. `values`: the value, or both cases of a letter. */
export function hexPositions(values: readonly number[], shifts: readonly number[] = [4, 0]): Position[] {
  return shifts.map((shift) =>
    values.flatMap((value) => casesOf(HEX.charCodeAt((value >> shift) & 15), 'either')),
  );
}

export interface Spelling {
  /** How the character is written: as itself, percent-encoded, or as an escape of JSON or HTML. */
  readonly form: 'literal' | 'percent' | 'short' | 'unicode' | 'entity' | 'hex-entity';
  /** The bytes that can occur at each position, in order. */
  readonly positions: readonly Position[];
  /** Number of bytes of the secret that this spelling represents. */
  readonly size: number;
}

export type ReadResult = Spelling | typeof NO_MATCH | typeof PARTIAL_MATCH;

const NO_SPELLINGS: readonly Spelling[] = [];
export const LITERAL: Spelling = { form: 'literal', positions: [[]], size: 1 };

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

  /** The first spelling in which the character is written at an offset, or may be if further bytes follow. */
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
  /** Number of the character in its pattern. */
  readonly k: number;
  /** Offset of its spelling. */
  readonly at: number;
  /** Offset after its spelling. */
  readonly end: number;
  /** The spelling that matched. */
  readonly spelling: Spelling;
}

/** A secret in all its spellings, to be replaced without changing the number of bytes. */
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

  /** Replaces the complete match that begins at `at`. */
  replace(bytes: Uint8Array, at: number): void {
    const steps: MatchStep[] = [];
    if (this.match(bytes, at, 'final', steps) !== NO_MATCH) this.write(bytes, steps);
  }
}

const REPLACING = 0x78;
const PERCENT = 0x25;
const HASH = 0x23;
const ZERO = 0x30;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const BEGINS_ESCAPE: ReadonlySet<number> = new Set([PERCENT, AMPERSAND, BACKSLASH]);
const UNDERSCORE = 0x5f;
const LETTER_U = 0x75;
const SHORT_ESCAPES: Readonly<Record<number, string>> = { 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r' };
const ENTITIES: Readonly<Record<number, string>> = { 34: 'quot', 38: 'amp', 39: 'apos', 60: 'lt', 62: 'gt' };
const MAX_DIGITS = 7;
/**
 * Maximum number of backslashes before an escape, as in JSON within JSON four levels deep; in a longer run, matching
 * starts again at each later backslash.
 */
const MAX_NESTED = 8;
const BACKSLASH_RUNS = Array.from({ length: MAX_NESTED }, (_, i) => textPositions('\\'.repeat(i + 1)));

interface Character {
  readonly byte: number;
  /** UTF-16 code units; empty if no character begins here. */
  readonly units: readonly number[];
  /** Code point; -1 if no character begins here. */
  readonly code: number;
  readonly size: number;
  /**
   * Identifies the code point and the byte, or only the byte (negative) if no character begins here. Decoding drops a
   * byte order mark, and then the byte does not follow from the code point.
   */
  readonly key: number;
}

/** `none`: only the bytes themselves are found; `any`: also characters that are written as escapes. */
type Escapes = 'none' | 'any';

/** Bounds each cache: there are many characters beyond ASCII. */
const MAX_CACHED = 2_000;
const SPELLINGS = new Map<string, Map<number, SpellingSet>>();

/**
 * Bytes as they are or, with escapes, also with any character percent-encoded up to three times, JSON-escaped, or as
 * an HTML entity. The alias takes over the spelling of each character, so that it decodes to the same text everywhere.
 */
export class TextPattern extends Pattern {
  /** Its alias is read only when needed, because the number of a secret is assigned late. */
  readonly #replacement: Replacement;
  readonly #letters: Case;
  readonly #characters: readonly Character[];
  readonly #spellingsOf: (character: Character) => SpellingSet;

  constructor(replacement: Replacement, letters: Case = 'exact', escapes: Escapes = 'none') {
    const characters = escapes === 'any' ? charactersOf(replacement.bytes) : bytesOf(replacement.bytes);
    const cache = getOrMake(SPELLINGS, `${letters} ${escapes}`, () => new Map<number, SpellingSet>());
    const spellingsOf = (character: Character) => {
      if (cache.size >= MAX_CACHED) cache.clear();
      return getOrMake(cache, character.key, () => newSpellingSet(character, letters, escapes));
    };
    super(characters.length, letters, characters.map(spellingsOf));
    this.#replacement = replacement;
    this.#letters = letters;
    this.#characters = characters;
    this.#spellingsOf = spellingsOf;
  }

  protected override read(k: number, bytes: Uint8Array, at: number, tail: Tail): ReadResult {
    const character = this.#characters[k];
    const byte = bytes[at];
    if (character === undefined) return NO_MATCH;
    if (byte === undefined) return tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
    // Most bytes do not begin an escape.
    if (BEGINS_ESCAPE.has(byte)) return this.#spellingsOf(character).read(bytes, at, tail);
    return isSameByte(byte, character.byte, this.#letters) ? LITERAL : NO_MATCH;
  }

  protected override write(bytes: Uint8Array, steps: readonly MatchStep[]): void {
    const { alias } = this.#replacement;
    for (const step of steps)
      writeCharacter(bytes, step, step.spelling.size === 1 ? (alias[step.k] ?? 0) : REPLACING);
  }
}

function bytesOf(text: Uint8Array): Character[] {
  return Array.from(text, (byte) => ({ byte, units: [], code: -1, size: 1, key: byte - 256 }));
}

function charactersOf(text: Uint8Array): Character[] {
  const characters = bytesOf(text);
  let at = 0;
  for (const character of new TextDecoder().decode(text)) {
    const size = Buffer.byteLength(character);
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
    const byte = characters[at]?.byte ?? 0;
    const code = character.codePointAt(0) ?? 0;
    if (at < characters.length) characters[at] = { byte, units, code, size, key: code * 256 + byte };
    at += size;
  }
  return characters;
}

/** Last bytes of escapes that represent a whole multi-byte character, after which its later bytes are skipped. */
const ESCAPE_ENDS = [SEMICOLON, ...textPositions(HEX, 'either').flat()];

function newSpellingSet(
  { byte, units, code, size }: Character,
  letters: Case,
  escapes: Escapes,
): SpellingSet {
  const cases = casesOf(byte, letters);
  const literal: Spelling = { form: 'literal', positions: [cases], size: 1 };
  if (escapes === 'none') return new SpellingSet([literal]);
  const percent = ['', '25', '2525'].map((nested): Spelling => {
    const positions = [...textPositions(`%${nested}`), ...hexPositions(cases)];
    return { form: 'percent', positions, size: 1 };
  });
  const runs = byte === BACKSLASH ? BACKSLASH_RUNS.slice(0, 1) : BACKSLASH_RUNS;
  const letter = textPositions(SHORT_ESCAPES[byte] ?? String.fromCharCode(byte));
  const short = runs.map((run): Spelling => ({ form: 'short', positions: [...run, ...letter], size: 1 }));
  const unicode = runs.map((run): Spelling => {
    const unitDigits = (unit: number) =>
      hexPositions(unit < 128 ? casesOf(unit, letters) : [unit], [12, 8, 4, 0]);
    const positions = units.flatMap((unit) => [...run, ...textPositions('u'), ...unitDigits(unit)]);
    return { form: 'unicode', positions, size };
  });
  const whole = [...unicode, ...entitySpellings(code < 128 ? casesOf(code, letters) : [code], size)];
  // A literal percent sign, backslash or ampersand comes after the escapes that begin with it.
  return new SpellingSet(
    [...percent, ...(hasShortEscape(byte) ? short : []), ...(code < 0 ? [] : whole), literal],
    code < 0 ? ESCAPE_ENDS : [],
  );
}

function entitySpellings(codes: readonly number[], size: number): Spelling[] {
  const name = ENTITIES[codes[0] ?? 0];
  const named: Spelling[] =
    name === undefined ? [] : [{ form: 'entity', positions: textPositions(`&${name};`), size }];
  const numeric = (form: Spelling['form'], lead: string, number: string): Spelling[] =>
    Array.from({ length: MAX_DIGITS + 1 - number.length }, (_, zeros) => {
      const digits = textPositions(`${lead}${'0'.repeat(zeros)}${number};`, 'either');
      return { form, positions: digits, size };
    });
  return [
    ...named,
    ...codes.flatMap((code) => [
      ...numeric('entity', '&#', String(code)),
      ...numeric('hex-entity', '&#x', code.toString(16)),
    ]),
  ];
}

function writeCharacter(bytes: Uint8Array, { at, end, spelling: { form } }: MatchStep, byte: number): void {
  if (form === 'literal' || form === 'short') bytes[end - 1] = byte;
  else if (form === 'percent') bytes.set(hexDigits(byte), end - 2);
  else if (form === 'unicode') {
    // A character of two units is written as two escapes with the same number of backslashes.
    const width = bytes.indexOf(LETTER_U, at) + 5 - at;
    for (let next = at + width; next <= end; next += width)
      bytes.set([ZERO, ZERO, ...hexDigits(byte)], next - 4);
  } else if (form === 'hex-entity') writeEntity(bytes.subarray(at, end), 3, byte.toString(16));
  else {
    // A code of three digits does not fit in the place of two.
    const digits = [byte, UNDERSCORE].map(String).find((text) => text.length <= end - at - 3);
    writeEntity(bytes.subarray(at, end), 2, digits ?? String(byte));
  }
}

function writeEntity(entity: Uint8Array, offset: 2 | 3, digits: string): void {
  const room = entity.length - offset - 1;
  if (digits.length > room) entity.fill(REPLACING);
  else {
    entity[1] = HASH;
    entity.set(Buffer.from(`${digits.padStart(room, '0')};`), offset);
  }
}
