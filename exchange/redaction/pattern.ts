import { getOrMake } from '../../schemas/grouping.ts';
import { hasShortEscape } from './alias.ts';

/** Results of a match attempt without a complete match. `PARTIAL_MATCH`: the bytes may end within a match. */
export const NO_MATCH = 0;
export const PARTIAL_MATCH = -1;

/** Bytes to find, and what replaces them. */
export interface Replacement {
  /** Bytes to find: the secret in one encoding. */
  readonly bytes: Uint8Array;
  /** The same number of bytes, which replace them; may be computed on first access. */
  readonly alias: Uint8Array;
}

/** Whether more bytes follow (`open`) or not (`final`). */
export type Tail = 'open' | 'final';

/** Two neighbouring bytes, as `first * 256 + second`. */
export type Bigram = number;

/** Whether ASCII letters match only in their case, or in either. */
type Case = 'exact' | 'either';

function inCases(byte: number, letters: Case): number[] {
  const lower = byte | 0x20;
  return letters === 'exact' || lower < 0x61 || lower > 0x7a ? [byte] : [byte, byte ^ 0x20];
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

/** The bytes that may be at one position. */
type Position = readonly number[];

/** The positions of an ASCII text. */
function positionsOf(text: string, letters: Case = 'exact'): Position[] {
  return Array.from(text, (character) => inCases(character.charCodeAt(0), letters));
}

/** The positions of a value in hexadecimal digits of either case. Several values are alternatives that differ in the case of a letter. */
function hexPositions(values: readonly number[], bits: readonly number[] = [4, 0]): Position[] {
  return bits.map((shift) =>
    values.flatMap((value) => inCases(HEX.charCodeAt((value >> shift) & 15), 'either')),
  );
}

/** One way to write a character. */
interface Way {
  readonly form: 'literal' | 'percent' | 'short' | 'unicode' | 'entity' | 'hex-entity';
  readonly positions: readonly Position[];
  /** Number of bytes of the secret that it represents. */
  readonly byteCount: number;
}

const NONE: readonly Way[] = [];

/** A character of a secret, or a digit of its base64, in every spelling. */
class Spelling {
  /** Bytes that a spelling can begin with. */
  readonly first: readonly number[];
  /** Bytes that a spelling can end with. */
  readonly last: readonly number[];
  /** Spellings that consist of one byte. */
  readonly single: readonly number[];
  /** Pairs that longer spellings begin with. */
  readonly begins: readonly Bigram[];
  /** All pairs within longer spellings. */
  readonly within: readonly Bigram[];
  /** By first byte, in the order in which they are tried. */
  readonly #ways = new Map<number, Way[]>();

  /** `ends`: additional bytes that can precede the next character. */
  constructor(ways: readonly Way[], ends: readonly number[] = []) {
    const several = ways.filter(({ positions }) => positions.length > 1);
    const pairsAt = ({ positions }: Way, i: number) => pairsAcross(positions[i], positions[i + 1]);
    this.first = unique(ways.flatMap(({ positions }) => positions[0] ?? []));
    this.last = unique([...ways.flatMap(({ positions }) => positions.at(-1) ?? []), ...ends]);
    this.single = unique(
      ways.flatMap(({ positions: [only = [], next] }) => (next === undefined ? only : [])),
    );
    this.begins = unique(several.flatMap((way) => pairsAt(way, 0)));
    this.within = unique(several.flatMap((way) => way.positions.flatMap((_, i) => pairsAt(way, i))));
    for (const way of ways)
      for (const byte of way.positions[0] ?? []) getOrMake(this.#ways, byte, () => []).push(way);
  }

  /** The first way in which the character is spelled here, or may be if more bytes follow. */
  read(bytes: Uint8Array, at: number, tail: Tail): Way | typeof NO_MATCH | typeof PARTIAL_MATCH {
    const atEnd = tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
    if (at >= bytes.length) return atEnd;
    for (const way of this.#ways.get(bytes[at] ?? 0) ?? NONE) {
      const { positions } = way;
      let i = 1;
      while (i < positions.length && positions[i]?.includes(bytes[at + i] ?? -1)) i += 1;
      if (i === positions.length) return way;
      if (at + i >= bytes.length && atEnd === PARTIAL_MATCH) return atEnd;
    }
    return NO_MATCH;
  }
}

function unique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}

function pairsAcross(before: Position = [], after: Position = []): Bigram[] {
  return before.flatMap((first) => after.map((second) => first * 256 + second));
}

/** Where a character was found, and in which way it is written. */
interface Step {
  /** Number of the character in its pattern. */
  readonly k: number;
  readonly at: number;
  readonly end: number;
  readonly way: Way;
}

/** A secret in several spellings, to be replaced without changing the number of bytes. */
export abstract class Pattern {
  /** Bytes of the secret; longer patterns are tried first. */
  readonly length: number;
  /** Among equal lengths, lower numbers are tried first: 0 for exact patterns, 1 for patterns in either case. */
  readonly precedence: 0 | 1;
  /** Pairs of bytes that a match can begin with. */
  readonly begins: readonly Bigram[];
  /** All pairs that can occur in a match. */
  readonly within: readonly Bigram[];
  /** Number of characters; no match has fewer bytes. */
  readonly shortest: number;
  /** Bytes before a match that are also replaced: 0 or 1. */
  readonly lead: 0 | 1 = 0;

  protected constructor(length: number, letters: Case, characters: readonly Spelling[]) {
    const [first, second] = characters;
    this.length = length;
    this.precedence = letters === 'exact' ? 0 : 1;
    this.begins = unique([...(first?.begins ?? []), ...pairsAcross(first?.single, second?.first)]);
    const within = new Set<Bigram>();
    for (const [i, character] of characters.entries()) {
      for (const pair of character.within) within.add(pair);
      for (const pair of pairsAcross(character.last, characters[i + 1]?.first)) within.add(pair);
    }
    this.within = [...within];
    this.shortest = characters.length;
  }

  protected abstract character(k: number): Spelling | undefined;

  /** Whether a byte can precede a match. */
  leads(_byte: number): boolean {
    return false;
  }

  /** Overwrites a match with the alias. */
  protected abstract write(bytes: Uint8Array, steps: readonly Step[]): void;

  /** End of the match that begins at `at`, NO_MATCH, or, with an open tail only, PARTIAL_MATCH. */
  match(bytes: Uint8Array, at: number, tail: Tail, steps?: Step[]): number {
    let place = at;
    for (let k = 0; k < this.shortest; ) {
      const way = this.character(k)?.read(bytes, place, tail) ?? NO_MATCH;
      if (way === NO_MATCH || way === PARTIAL_MATCH) return way;
      const end = place + way.positions.length;
      steps?.push({ k, at: place, end, way });
      place = end;
      k += way.byteCount;
    }
    return place;
  }

  /** Replaces the complete match that begins at `at`. */
  replace(bytes: Uint8Array, at: number): void {
    const steps: Step[] = [];
    if (this.match(bytes, at, 'final', steps) !== NO_MATCH) this.write(bytes, steps);
  }
}

/** Byte that replaces a multi-byte character. */
const REPLACING = 0x78;
const LF = 0x0a;
const PERCENT = 0x25;
const HASH = 0x23;
const ZERO = 0x30;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;
const UNDERSCORE = 0x5f;
const LETTER_N = 0x6e;
const LETTER_U = 0x75;
/** Second letters of the JSON escapes of control characters. */
const SHORT_ESCAPES: Readonly<Record<number, string>> = { 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r' };
/** Names of HTML and XML entities by character code. */
const ENTITIES: Readonly<Record<number, string>> = { 34: 'quot', 38: 'amp', 39: 'apos', 60: 'lt', 62: 'gt' };
/** Digits of a numeric entity, including leading zeros. */
const MOST_DIGITS = 7;
/** Maximum number of backslashes before an escape, as in JSON nested four levels deep; a longer row is tried again at its later bytes. */
const MOST_NESTED = 8;
const ROWS = Array.from({ length: MOST_NESTED }, (_, i) => positionsOf('\\'.repeat(i + 1)));

/** A byte of a text, and the character that begins with it. */
interface Character {
  readonly byte: number;
  /** UTF-16 code units; empty if no character begins here. */
  readonly units: readonly number[];
  /** Code point; -1 if no character begins here. */
  readonly code: number;
  /** Bytes of the character. */
  readonly byteCount: number;
  /**
   * Of the code point and the byte, or of the byte alone (negative) if no character begins here. A byte order mark is no part of the
   * decoded text, so that after one neither follows from the other.
   */
  readonly key: number;
}

/** Whether only the bytes themselves are found, or also characters with escapes. */
type Escapes = 'none' | 'any';

/** Limit of each cache, because there are many characters beyond ASCII. */
const MOST_CACHED = 2_000;
/** Cached spellings by kind of pattern and key; computing one is slow. */
const SPELLINGS = new Map<string, Map<number, Spelling>>();

/**
 * Finds bytes as they are or, with escapes, also with any character percent-encoded up to three times, JSON-escaped, or as an HTML
 * entity. The alias adopts the spelling of each character, so that it decodes to the same text everywhere.
 */
export class TextPattern extends Pattern {
  /** The alias is read only when needed, because the number of a secret is assigned late. */
  readonly #replacement: Replacement;
  readonly #characters: readonly Character[];
  readonly #spelling: (character: Character) => Spelling;

  constructor(replacement: Replacement, letters: Case = 'exact', escapes: Escapes = 'none') {
    const characters = escapes === 'any' ? charactersOf(replacement.bytes) : bytesOf(replacement.bytes);
    const cache = getOrMake(SPELLINGS, `${letters} ${escapes}`, () => new Map<number, Spelling>());
    const spelling = (character: Character) => {
      const known = cache.get(character.key);
      if (known !== undefined) return known;
      if (cache.size >= MOST_CACHED) cache.clear();
      const computed = newSpelling(character, letters, escapes);
      cache.set(character.key, computed);
      return computed;
    };
    super(characters.length, letters, characters.map(spelling));
    this.#replacement = replacement;
    this.#characters = characters;
    this.#spelling = spelling;
  }

  protected override character(k: number): Spelling | undefined {
    const character = this.#characters[k];
    return character && this.#spelling(character);
  }

  protected override write(bytes: Uint8Array, steps: readonly Step[]): void {
    const { alias } = this.#replacement;
    for (const step of steps)
      writeCharacter(bytes, step, step.way.byteCount === 1 ? (alias[step.k] ?? 0) : REPLACING);
  }
}

function bytesOf(text: Uint8Array): Character[] {
  return Array.from(text, (byte) => ({ byte, units: [], code: -1, byteCount: 1, key: byte - 256 }));
}

function charactersOf(text: Uint8Array): Character[] {
  const characters = bytesOf(text);
  let at = 0;
  for (const character of new TextDecoder().decode(text)) {
    const byteCount = Buffer.byteLength(character);
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
    const byte = characters[at]?.byte ?? 0;
    const code = character.codePointAt(0) ?? 0;
    if (at < characters.length) characters[at] = { byte, units, code, byteCount, key: code * 256 + byte };
    at += byteCount;
  }
  return characters;
}

/** Last bytes of escapes for a whole multi-byte character, whose later bytes are then skipped. */
const ENDS = [SEMICOLON, ...positionsOf(HEX, 'either').flat()];

function newSpelling({ byte, units, code, byteCount }: Character, letters: Case, escapes: Escapes): Spelling {
  const cases = inCases(byte, letters);
  const literal: Way = { form: 'literal', positions: [cases], byteCount: 1 };
  if (escapes === 'none') return new Spelling([literal]);
  const percent = ['', '25', '2525'].map((again): Way => {
    const positions = [...positionsOf(`%${again}`), ...hexPositions(cases)];
    return { form: 'percent', positions, byteCount: 1 };
  });
  const rows = byte === BACKSLASH ? ROWS.slice(0, 1) : ROWS;
  const letter = positionsOf(SHORT_ESCAPES[byte] ?? String.fromCharCode(byte));
  const short = rows.map((row): Way => ({ form: 'short', positions: [...row, ...letter], byteCount: 1 }));
  const unicode = rows.map((row): Way => {
    const unitDigits = (unit: number) =>
      hexPositions(unit < 128 ? inCases(unit, letters) : [unit], [12, 8, 4, 0]);
    const positions = units.flatMap((unit) => [...row, ...positionsOf('u'), ...unitDigits(unit)]);
    return { form: 'unicode', positions, byteCount };
  });
  const whole = [...unicode, ...entityWays(code < 128 ? inCases(code, letters) : [code], byteCount)];
  // A literal percent sign, backslash or ampersand is tried after the escapes that begin with it.
  return new Spelling(
    [...percent, ...(hasShortEscape(byte) ? short : []), ...(code < 0 ? [] : whole), literal],
    code < 0 ? ENDS : [],
  );
}

function entityWays(codes: readonly number[], byteCount: number): Way[] {
  const name = ENTITIES[codes[0] ?? 0];
  const named: Way[] =
    name === undefined ? [] : [{ form: 'entity', positions: positionsOf(`&${name};`), byteCount }];
  const numeric = (form: Way['form'], lead: string, number: string): Way[] =>
    Array.from({ length: MOST_DIGITS + 1 - number.length }, (_, zeros) => {
      const digits = positionsOf(`${lead}${'0'.repeat(zeros)}${number};`, 'either');
      return { form, positions: digits, byteCount };
    });
  return [
    ...named,
    ...codes.flatMap((code) => [
      ...numeric('entity', '&#', String(code)),
      ...numeric('hex-entity', '&#x', code.toString(16)),
    ]),
  ];
}

/** Overwrites a character with an ASCII byte in the same spelling and width. */
function writeCharacter(bytes: Uint8Array, { at, end, way: { form } }: Step, byte: number): void {
  if (form === 'literal' || form === 'short') bytes[end - 1] = byte;
  else if (form === 'percent') bytes.set(hexDigits(byte), end - 2);
  else if (form === 'unicode') {
    // A character of two units has two equal rows of backslashes.
    const width = bytes.indexOf(LETTER_U, at) + 5 - at;
    for (let next = at + width; next <= end; next += width)
      bytes.set([ZERO, ZERO, ...hexDigits(byte)], next - 4);
  } else if (form === 'hex-entity') writeEntity(bytes.subarray(at, end), 3, byte.toString(16));
  else {
    // A code of three digits does not fit in place of two.
    const digits = [byte, UNDERSCORE].map(String).find((text) => text.length <= end - at - 3);
    writeEntity(bytes.subarray(at, end), 2, digits ?? String(byte));
  }
}

/** Writes a numeric entity, whose digits begin at an offset. */
function writeEntity(entity: Uint8Array, offset: 2 | 3, digits: string): void {
  const room = entity.length - offset - 1;
  if (digits.length > room) entity.fill(REPLACING);
  else {
    entity[1] = HASH;
    entity.set(Buffer.from(`${digits.padStart(room, '0')};`), offset);
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The last two digits of the URL alphabet (RFC 4648, section 5). */
const URL_TAIL = '-_';
const DIGITS = [...Buffer.from(ALPHABET + URL_TAIL)];
/** The value of each digit; 255 for other bytes. */
const VALUES = new Uint8Array(256).fill(255);
for (const [i, digit] of DIGITS.entries()) VALUES[digit] = i < 64 ? i : i - 2;

/** Line breaks between two digits, plain and in a JSON string. */
const BREAKS = ['\n', '\r\n', '\\n', '\\r\\n'].map((text) => positionsOf(text));

/** Which digits are found: `shared` includes the ones at either end that also hold bits of other bytes. */
export type Reach = 'shared' | 'whole';

/** Cached spellings by mask, bits, and whether a line break may come first. */
const DIGIT_SPELLINGS = new Map<string, Spelling>();

/**
 * A secret inside base64 that begins `shift` bytes into a group of three: in either alphabet, wrapped or not, with
 * escaped or percent-encoded digits.
 */
export class Base64Pattern extends Pattern {
  /** 1 if the first digit also holds bits of the byte before the secret, otherwise 0. */
  override readonly lead: 0 | 1;
  /** All digits that can precede a match. */
  readonly #leading: readonly number[];
  readonly #characters: readonly Spelling[];
  /** Mask of the bits of each digit that belong to the secret; the lead comes first. */
  readonly #masks: Uint8Array;
  /** The same bits of the alias; lazy, because its number is assigned late. */
  readonly #stand: () => Uint8Array;

  constructor(replacement: Replacement, shift: 0 | 1 | 2, reach: Reach) {
    const secret = replacement.bytes;
    const masks = digits(new Uint8Array(secret.length).fill(255), shift);
    const isWanted = (mask: number) => (reach === 'whole' ? mask === 63 : mask > 0);
    const from = masks.findIndex(isWanted);
    const to = masks.findLastIndex(isWanted) + 1;
    const bits = digits(secret, shift);
    const lead = masks[from] === 63 ? 0 : 1;
    const characters = Array.from(masks.subarray(from + lead, to), (mask, i) => {
      const wanted = bits[from + lead + i] ?? 0;
      const breaks = i > 0 ? [[], ...BREAKS] : [[]];
      return getOrMake(DIGIT_SPELLINGS, `${mask} ${wanted} ${breaks.length}`, () =>
        newDigitSpelling(mask, wanted, breaks),
      );
    });
    super(secret.length, 'exact', characters);
    this.lead = lead;
    this.#leading = digitsWith(masks[from] ?? 0, bits[from] ?? 0);
    this.#characters = characters;
    this.#masks = masks.subarray(from, to);
    this.#stand = () => digits(replacement.alias, shift).subarray(from, to);
  }

  /** Whether a digit can hold the first bits of the secret after bits of the previous byte. */
  override leads(byte: number): boolean {
    return this.lead === 1 && this.#leading.includes(byte);
  }

  /** Accepts both alphabets, line breaks, and escaped or percent-encoded digits. */
  override match(bytes: Uint8Array, at: number, tail: Tail, steps?: Step[]): number {
    // If a line begins here, the digit before it is unknown and counts as no match.
    if (this.lead === 1 && !beginsLine(bytes, at)) {
      if (!this.leads(bytes[at - 1] ?? 0)) return NO_MATCH;
      steps?.push({ k: -1, at: at - 1, end: at, way: LEAD });
    }
    return super.match(bytes, at, tail, steps);
  }

  protected override character(k: number): Spelling | undefined {
    return this.#characters[k];
  }

  /** Writes the alias in the alphabet and spelling of the match. */
  protected override write(bytes: Uint8Array, steps: readonly Step[]): void {
    const stand = this.#stand();
    const isUrl = steps.some(({ end }) => URL_TAIL.includes(String.fromCharCode(bytes[end - 1] ?? 0)));
    for (const { k, end, way } of steps) {
      const isCoded = way.form === 'percent';
      const coded = String.fromCharCode(...bytes.subarray(end - 2, end));
      const digit = isCoded ? Number.parseInt(coded, 16) : (bytes[end - 1] ?? 0);
      const i = k + this.lead;
      const value = ((VALUES[digit] ?? 0) & ~(this.#masks[i] ?? 0)) | (stand[i] ?? 0);
      const byte = DIGITS[isUrl && value >= 62 ? value + 2 : value] ?? 0;
      if (isCoded) bytes.set(hexDigits(byte), end - 2);
      else if (way.form === 'literal') bytes[end - 1] = byte;
    }
  }
}

const LEAD: Way = { form: 'literal', positions: [[]], byteCount: 1 };

function beginsLine(bytes: Uint8Array, at: number): boolean {
  const before = bytes[at - 1];
  return before === LF || (before === LETTER_N && bytes[at - 2] === BACKSLASH);
}

function digitsWith(mask: number, bits: number): number[] {
  return DIGITS.filter((byte) => ((VALUES[byte] ?? 0) & mask) === bits);
}

/**
 * All spellings of the digits with these bits, each after one of `breaks`. JSON may write `/` as `\/`, and URLs percent-encode `/`
 * and `+`.
 */
function newDigitSpelling(mask: number, bits: number, breaks: readonly (readonly Position[])[]): Spelling {
  const digit = digitsWith(mask, bits);
  const isDigit = (text: string) => digit.includes(text.charCodeAt(0));
  const ways: readonly (readonly [Way['form'], readonly Position[]])[] = [
    ['literal', [digit]],
    ...(isDigit('/') ? [['short', positionsOf('\\/')] as const] : []),
    ...['+', '/']
      .filter(isDigit)
      .map((text) => ['percent', [[PERCENT], ...hexPositions([text.charCodeAt(0)])]] as const),
  ];
  return new Spelling(
    breaks.flatMap((before) =>
      ways.map(([form, positions]) => ({ form, positions: [...before, ...positions], byteCount: 1 })),
    ),
  );
}

/** Six-bit digits of bytes that follow `shift` zero bytes. */
function digits(bytes: Uint8Array, shift: number): Uint8Array {
  const padded = new Uint8Array(shift + bytes.length + 2);
  padded.set(bytes, shift);
  const count = Math.ceil(((shift + bytes.length) * 8) / 6);
  return Uint8Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * 6) / 8);
    const pair = ((padded[from] ?? 0) << 8) | (padded[from + 1] ?? 0);
    return (pair >> (10 - ((i * 6) % 8))) & 63;
  });
}

/** The digits, as text, that hold only bits of these bytes. They remain recognisable if the base64 is encoded again. */
export function wholeDigits(bytes: Uint8Array, shift: 0 | 1 | 2, alphabet: 'plain' | 'url'): Uint8Array {
  const masks = digits(new Uint8Array(bytes.length).fill(255), shift);
  const values = digits(bytes, shift).filter((_, i) => masks[i] === 63);
  return values.map((value) => DIGITS[alphabet === 'url' && value >= 62 ? value + 2 : value] ?? 0);
}
