import { hasShortEscape } from './alias.ts';
import {
  type Case,
  type Encoding,
  hexDigits,
  hexValue,
  inBothCases,
  inCases,
  isSame,
  NO_MATCH,
  PARTIAL_MATCH,
  type Replacement,
  type Tail,
  TextPattern,
  writtenAs,
} from './pattern.ts';

/** Replaces a character of several bytes. */
const REPLACING = 0x78;

/**
 * A secret as it is, and with any of its characters percent-encoded up to three times, JSON-escaped, or as an HTML
 * entity. The alias takes over the spelling of each character, so that it decodes to the same text everywhere.
 */
export class EscapedPattern extends TextPattern {
  /** Its alias is read when it is needed: the number of a secret is assigned late. */
  readonly #replacement: Replacement;
  readonly #letters: Case;
  readonly #characters: readonly Character[];

  constructor(replacement: Replacement, letters: Case = 'exact') {
    const characters = charactersOf(replacement.bytes);
    super(
      replacement,
      letters,
      characters.map((character) => writtenCharacter(character, letters)),
    );
    this.#replacement = replacement;
    this.#letters = letters;
    this.#characters = characters;
  }

  match(bytes: Uint8Array, at: number, tail: Tail): number {
    let place = at;
    for (let k = 0; k < this.length; ) {
      const wanted = this.#characters[k];
      if (wanted === undefined || place >= bytes.length) return tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
      const step = readCharacter(bytes, place, wanted, this.#letters);
      if (step === null) return NO_MATCH;
      if (step === PARTIAL_MATCH) return tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
      place += step.width;
      k += step.taken;
    }
    return place;
  }

  replace(bytes: Uint8Array, at: number): void {
    const { alias } = this.#replacement;
    let place = at;
    for (let k = 0; k < this.length; ) {
      const wanted = this.#characters[k];
      const step = wanted === undefined ? null : readCharacter(bytes, place, wanted, this.#letters);
      if (step === null || step === PARTIAL_MATCH) return;
      writeCharacter(bytes, place, step, step.taken === 1 ? (alias[k] ?? 0) : REPLACING);
      place += step.width;
      k += step.taken;
    }
  }
}

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const HASH = 0x23;
const ZERO = 0x30;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;
const UNDERSCORE = 0x5f;
const LETTER_U = 0x75;
const LETTER_X = 0x78;
/** Second letters of the JSON escapes of control characters. */
const SHORT_ESCAPES: Readonly<Record<number, number>> = { 8: 0x62, 9: 0x74, 10: 0x6e, 12: 0x66, 13: 0x72 };
/** Names of HTML and XML entities by character code. */
const ENTITIES: Readonly<Record<number, string>> = { 34: 'quot', 38: 'amp', 39: 'apos', 60: 'lt', 62: 'gt' };
/** Digits of a numeric entity, including leading zeros. */
const MOST_DIGITS = 7;

/** A byte of a text, and the character that begins with it. */
interface Character {
  readonly byte: number;
  /** UTF-16 code units; empty if no character begins here. */
  readonly units: readonly number[];
  /** Code point; -1 if no character begins here. */
  readonly code: number;
  readonly taken: number;
}

export type Form = 'literal' | 'percent' | 'short' | 'unicode' | 'entity' | 'hex-entity';

export interface Step {
  readonly form: Form;
  readonly width: number;
  /** Bytes of the secret that it represents. */
  readonly taken: number;
  /** Backslashes of each JSON escape; more than one in JSON within a string. */
  readonly slashes?: number;
}

const LITERAL: Step = { form: 'literal', width: 1, taken: 1 };
const PERCENT_STEPS: readonly Step[] = [3, 5, 7].map((width) => ({ form: 'percent', width, taken: 1 }));

type Read = Step | typeof PARTIAL_MATCH | null;

function charactersOf(text: Uint8Array): Character[] {
  const characters = Array.from(text, (byte) => ({ byte, units: [] as number[], code: -1, taken: 1 }));
  let at = 0;
  for (const character of new TextDecoder().decode(text)) {
    const taken = new TextEncoder().encode(character).length;
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
    const byte = characters[at]?.byte ?? 0;
    if (at < characters.length) characters[at] = { byte, units, code: character.codePointAt(0) ?? 0, taken };
    at += taken;
  }
  return characters;
}

/** Null if there is a different character, PARTIAL_MATCH if the bytes end too early. */
function readCharacter(bytes: Uint8Array, at: number, wanted: Character, letters: Case): Read {
  const byte = bytes[at] ?? 0;
  const literal = isSame(byte, wanted.byte, letters) ? LITERAL : null;
  if (byte === PERCENT) return readPercent(bytes, at, wanted.byte, letters) ?? literal;
  if (byte === BACKSLASH) return readEscape(bytes, at, wanted, letters) ?? literal;
  if (byte === AMPERSAND) return readEntity(bytes, at, wanted, letters) ?? literal;
  return literal;
}

function readPercent(bytes: Uint8Array, at: number, wanted: number, letters: Case): Read {
  for (const step of PERCENT_STEPS) {
    const digits = at + step.width - 2;
    const found = readHex(bytes, digits, wanted, letters);
    if (found !== false) return found === PARTIAL_MATCH ? PARTIAL_MATCH : step;
    const percent = readHex(bytes, digits, PERCENT, 'exact');
    if (percent !== true) return percent === PARTIAL_MATCH ? PARTIAL_MATCH : null;
  }
  return null;
}

function readHex(
  bytes: Uint8Array,
  at: number,
  wanted: number,
  letters: Case,
): boolean | typeof PARTIAL_MATCH {
  const [high, low] = [bytes[at], bytes[at + 1]];
  const cases = inCases(wanted, letters);
  if (high !== undefined && !cases.some((byte) => hexValue(high) === byte >> 4)) return false;
  if (high === undefined || low === undefined) return PARTIAL_MATCH;
  return cases.includes(hexValue(high) * 16 + hexValue(low));
}

function readEscape(bytes: Uint8Array, at: number, wanted: Character, letters: Case): Read {
  const slashes = wanted.byte === BACKSLASH ? 1 : slashesFrom(bytes, at);
  const next = bytes[at + slashes];
  if (next === undefined) return PARTIAL_MATCH;
  if (hasShortEscape(wanted.byte) && next === (SHORT_ESCAPES[wanted.byte] ?? wanted.byte))
    return { form: 'short', width: slashes + 1, taken: 1, slashes };
  if (next !== LETTER_U || wanted.units.length === 0) return null;
  const length = slashes + 5;
  for (const [n, unit] of wanted.units.entries()) {
    const from = at + length * n;
    for (let i = 0; i <= slashes; i += 1) {
      if (bytes[from + i] === undefined) return PARTIAL_MATCH;
      if (bytes[from + i] !== (i < slashes ? BACKSLASH : LETTER_U)) return null;
    }
    for (const [place, value] of [
      [slashes + 1, unit >> 8],
      [slashes + 3, unit & 255],
    ] as const) {
      const found = readHex(
        bytes,
        from + place,
        value,
        unit < 128 && place === slashes + 3 ? letters : 'exact',
      );
      if (found !== true) return found === PARTIAL_MATCH ? PARTIAL_MATCH : null;
    }
  }
  return { form: 'unicode', width: length * wanted.units.length, taken: wanted.taken, slashes };
}

/**
 * Backslashes before an escape, in JSON within JSON four levels deep; a longer row is tried again at its later
 * bytes.
 */
const MOST_NESTED = 8;

function slashesFrom(bytes: Uint8Array, at: number): number {
  let count = 1;
  while (count < MOST_NESTED && bytes[at + count] === BACKSLASH) count += 1;
  return count;
}

function readEntity(bytes: Uint8Array, at: number, wanted: Character, letters: Case): Read {
  const { code, taken } = wanted;
  const name = ENTITIES[code];
  if (bytes[at + 1] === undefined) return PARTIAL_MATCH;
  if (code < 0) return null;
  if (bytes[at + 1] !== HASH) return name === undefined ? null : readName(bytes, at, `${name};`);
  const third = bytes[at + 2];
  const isHex = third !== undefined && (third | 0x20) === LETTER_X;
  const base = isHex ? 16 : 10;
  const first = at + (isHex ? 3 : 2);
  for (let value = 0, place = first; place <= first + MOST_DIGITS; place += 1) {
    const byte = bytes[place];
    if (byte === undefined) return PARTIAL_MATCH;
    if (byte === SEMICOLON) {
      const isWanted = place > first && (value === code || (code < 128 && isSame(value, code, letters)));
      return isWanted ? { form: isHex ? 'hex-entity' : 'entity', width: place + 1 - at, taken } : null;
    }
    const digit = hexValue(byte);
    if (digit < 0 || digit >= base) return null;
    value = value * base + digit;
  }
  return null;
}

function readName(bytes: Uint8Array, at: number, name: string): Read {
  for (let i = 0; i < name.length; i += 1) {
    const byte = bytes[at + 1 + i];
    if (byte === undefined) return PARTIAL_MATCH;
    if (byte !== name.charCodeAt(i)) return null;
  }
  return { form: 'entity', width: name.length + 1, taken: 1 };
}

const WRITTEN = new Map<string, Encoding>();

/**
 * All spellings of the character that begins with a byte. Continuation bytes get the possible ends of an escaped
 * character.
 */
function writtenCharacter(wanted: Character, letters: Case): Encoding {
  const key = `${wanted.code} ${wanted.byte} ${letters}`;
  const known = WRITTEN.get(key);
  if (known !== undefined) return known;
  const ways = writtenAs(waysToWrite(wanted, letters));
  const made = wanted.code < 0 ? { ...ways, last: [...ways.last, ...ENDS] } : ways;
  if (WRITTEN.size >= MOST_WRITTEN) WRITTEN.clear();
  WRITTEN.set(key, made);
  return made;
}

/** Last bytes of escapes that cover a whole multi-byte character. */
const ENDS = [SEMICOLON, ...Array.from({ length: 16 }, (_, value) => inBothCases(value)).flat()];

/** Bounds the cache: there are many characters beyond ASCII. */
const MOST_WRITTEN = 2_000;

const ESCAPED_PERCENT = [inBothCases(PERCENT >> 4), inBothCases(PERCENT & 15)];

/** All spellings of a character: for each position, the bytes that may be there. */
function waysToWrite(wanted: Character, letters: Case): number[][][] {
  const bytes = inCases(wanted.byte, letters);
  const high = bytes.flatMap((byte) => inBothCases(byte >> 4));
  const low = bytes.flatMap((byte) => inBothCases(byte & 15));
  return [
    [bytes],
    [[PERCENT], high, low],
    [[PERCENT], ...ESCAPED_PERCENT, high, low],
    [[PERCENT], ...ESCAPED_PERCENT, ...ESCAPED_PERCENT, high, low],
    // Two backslashes produce every pair of bytes that more would.
    ...(hasShortEscape(wanted.byte) ? SLASHES.map((row) => [...row, shortEscape(wanted.byte)]) : []),
    ...(wanted.code < 0
      ? []
      : [
          ...SLASHES.map((row) => unicodeWays(wanted.units, letters, row)),
          ...entityWays(wanted.code, letters),
        ]),
  ];
}

const SLASHES: readonly number[][][] = [[[BACKSLASH]], [[BACKSLASH], [BACKSLASH]]];

function shortEscape(byte: number): number[] {
  return [SHORT_ESCAPES[byte] ?? byte];
}

function unicodeWays(units: readonly number[], letters: Case, slashes: readonly number[][]): number[][] {
  return units.flatMap((unit) => {
    const values = unit < 128 ? inCases(unit, letters) : [unit];
    return [
      ...slashes,
      [LETTER_U],
      ...[12, 8, 4, 0].map((bits) => values.flatMap((value) => inBothCases((value >> bits) & 15))),
    ];
  });
}

function entityWays(code: number, letters: Case): number[][][] {
  const name = ENTITIES[code];
  const named = name === undefined ? [] : [[[AMPERSAND], ...characters(`${name};`)]];
  const codes = code < 128 ? inCases(code, letters) : [code];
  const numeric = codes.flatMap((value) =>
    // Two leading zeros produce every pair of bytes that more would.
    ['', '0', '00'].flatMap((zeros) => [
      [[AMPERSAND], [HASH], ...characters(`${zeros}${value};`)],
      [[AMPERSAND], [HASH], [LETTER_X, LETTER_X ^ 0x20], ...characters(`${zeros}${value.toString(16)};`)],
    ]),
  );
  return [...named, ...numeric];
}

function characters(text: string): number[][] {
  return Array.from(text, (character) => inCases(character.charCodeAt(0), 'either'));
}

/** Writes an ASCII byte over a character, in the same spelling and width. */
function writeCharacter(bytes: Uint8Array, at: number, step: Step, byte: number): void {
  const { form, width, slashes = 1 } = step;
  if (form === 'literal') bytes[at] = byte;
  else if (form === 'short') bytes[at + slashes] = byte;
  else if (form === 'percent') bytes.set(hexDigits(byte), at + width - 2);
  else if (form === 'unicode')
    for (let from = at + slashes + 1; from < at + width; from += slashes + 5)
      bytes.set([ZERO, ZERO, ...hexDigits(byte)], from);
  else if (form === 'hex-entity') writeEntity(bytes, at, width, { lead: 3, digits: byte.toString(16) });
  else {
    // A code of three digits does not fit in the place of two.
    const digits = [byte, UNDERSCORE].map(String).find((text) => text.length <= width - 3);
    writeEntity(bytes, at, width, { lead: 2, digits: digits ?? String(byte) });
  }
}

function writeEntity(
  bytes: Uint8Array,
  at: number,
  width: number,
  { lead, digits }: { lead: 2 | 3; digits: string },
): void {
  const room = width - lead - 1;
  if (digits.length > room) {
    bytes.fill(LETTER_X, at, at + width);
    return;
  }
  bytes[at + 1] = HASH;
  bytes.set(new TextEncoder().encode(`${digits.padStart(room, '0')};`), at + lead);
}
