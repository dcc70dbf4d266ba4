import { getOrMake } from '../../schemas/maps.ts';
import { hasShortEscape } from './alias.ts';
import {
  type Case,
  casesOf,
  HEX_DIGITS,
  hexDigits,
  hexPositions,
  isSameByte,
  LITERAL,
  type MatchStep,
  NO_MATCH,
  PARTIAL_MATCH,
  Pattern,
  type ReadResult,
  type Replacement,
  type Spelling,
  SpellingSet,
  type Tail,
  textPositions,
} from './pattern.ts';

const PERCENT = 0x25;
const HASH = 0x23;
const ZERO = 0x30;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const BEGINS_ESCAPE: ReadonlySet<number> = new Set([PERCENT, AMPERSAND, BACKSLASH]);
const UNDERSCORE = 0x5f;
const LETTER_U = 0x75;
const LETTER_X = 0x78;
const SHORT_ESCAPES: Readonly<Record<number, string>> = { 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r' };
const ENTITIES: Readonly<Record<number, string>> = { 34: 'quot', 38: 'amp', 39: 'apos', 60: 'lt', 62: 'gt' };
const MAX_DIGITS = 7;
/**
 * Maximum number of backslashes before an escape, as in JSON within JSON four levels deep; in a longer run, matching
 * starts again at each later backslash.
 */
const MAX_NESTED = 8;
const BACKSLASH_RUNS = Array.from({ length: MAX_NESTED }, (_, i) => textPositions('\\'.repeat(i + 1)));

/** A byte, and the character that begins with it. No character begins in bytes that are searched without escapes. */
interface Character {
  readonly byte: number;
  /** UTF-16 code units; empty if no character begins here. */
  readonly units: readonly number[];
  /** Code point; -1 if no character begins here. */
  readonly code: number;
  readonly size: number;
  /** Identifies the code point, or the byte (negative) if no character begins here. */
  readonly key: number;
}

/** `none`: only the bytes themselves are found; `any`: also characters that are written as escapes. */
type Escapes = 'none' | 'any';

/** Bounds each cache: there are many characters beyond ASCII. */
const MAX_CACHED = 2_000;
const SPELLINGS = new Map<string, Map<number, SpellingSet>>();

/**
 * Bytes as they are or, with escapes, also with any character percent-encoded up to three times, JSON-escaped, or as
 * an HTML entity. The alias takes over the spelling of each character.
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
      writeCharacter(bytes, step, step.spelling.size === 1 ? (alias[step.k] ?? 0) : LETTER_X);
  }
}

function bytesOf(text: Uint8Array): Character[] {
  return Array.from(text, (byte) => ({ byte, units: [], code: -1, size: 1, key: byte - 256 }));
}

function charactersOf(text: Uint8Array): Character[] {
  const characters = bytesOf(text);
  let at = 0;
  for (const character of new TextDecoder('utf-8', { ignoreBOM: true }).decode(text)) {
    const size = Buffer.byteLength(character);
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
    const byte = characters[at]?.byte ?? 0;
    const code = character.codePointAt(0) ?? 0;
    if (at < characters.length) characters[at] = { byte, units, code, size, key: code };
    at += size;
  }
  return characters;
}

/** Last bytes of escapes that represent a whole multi-byte character, after which its later bytes are skipped. */
const ESCAPE_ENDS = [SEMICOLON, ...textPositions(HEX_DIGITS, 'either').flat()];

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
  const entities = entitySpellings(code < 128 ? casesOf(code, letters) : [code], size);
  // A literal percent sign, backslash or ampersand comes after the escapes that begin with it.
  return new SpellingSet(
    [
      ...percent,
      ...(hasShortEscape(byte) ? short : []),
      ...(code < 0 ? [] : [...unicode, ...entities]),
      literal,
    ],
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
  if (digits.length > room) entity.fill(LETTER_X);
  else {
    entity[1] = HASH;
    entity.set(Buffer.from(`${digits.padStart(room, '0')};`), offset);
  }
}
