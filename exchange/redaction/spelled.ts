import { isShortEscaped } from './alias.ts';
import { neighbours, neighboursOf, type Written } from './neighbours.ts';

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const SHORT_ESCAPES: Readonly<Record<number, number>> = { 8: 0x62, 9: 0x74, 10: 0x6e, 12: 0x66, 13: 0x72 };

/** What is found at a place: the offset where it ends, or one of these. */
export const NOTHING = 0;
/** The bytes end in what may be the beginning of a match. */
export const PERHAPS = -1;

/** Something that can be found in bytes and replaced there without changing their number. */
export interface Pattern {
  /** Length of what it stands for; longer ones are tried first. */
  readonly length: number;
  /** Pairs of bytes it can begin with. */
  readonly begins: readonly Pair[];
  /** Pairs of neighbours that stand anywhere in a match, from that pair on. */
  readonly within: readonly Pair[];
  /** Fewest bytes of a match, from that pair on. */
  readonly shortest: number;
  /** How many bytes before those it begins to replace: 0 or 1. */
  readonly lead: number;
  /** Whether a byte can be the one before. */
  leads(byte: number): boolean;
  /** `at` is where the pair stands. `last`: no bytes follow these, so the answer is never PERHAPS. */
  match(bytes: Uint8Array, at: number, last: boolean): number;
  replace(bytes: Uint8Array, at: number): void;
}

/** Bytes to be found, and what takes their place: as many bytes. */
export interface Replaced {
  readonly bytes: Uint8Array;
  readonly alias: Uint8Array;
}

export type Pair = readonly [first: number, second: number];

/** A secret exactly as it is: needed beside `Spelled` where it holds an escape character itself. */
export class Literal implements Pattern {
  readonly length: number;
  readonly begins: readonly Pair[];
  readonly within: readonly Pair[];
  readonly shortest: number;
  readonly lead = 0;
  readonly #secret: Uint8Array;
  readonly #stand: Replaced;

  constructor(replaced: Replaced) {
    const secret = replaced.bytes;
    this.#secret = secret;
    this.#stand = replaced;
    this.length = secret.length;
    this.begins = [[secret[0] ?? 0, secret[1] ?? 0]];
    this.within = neighbours(Array.from(secret, (byte) => [byte]));
    this.shortest = secret.length;
  }

  leads(): boolean {
    return false;
  }

  match(bytes: Uint8Array, at: number, last: boolean): number {
    for (let k = 0; k < this.length; k += 1) {
      if (at + k >= bytes.length) return last ? NOTHING : PERHAPS;
      if (bytes[at + k] !== this.#secret[k]) return NOTHING;
    }
    return at + this.length;
  }

  replace(bytes: Uint8Array, at: number): void {
    bytes.set(this.#stand.alias, at);
  }
}

/**
 * A secret as it is, and with any of its characters percent-encoded or JSON-escaped. The alias takes over the
 * spelling character by character, so that its decoded form is the same everywhere.
 */
export class Spelled implements Pattern {
  readonly length: number;
  readonly begins: readonly Pair[];
  readonly within: readonly Pair[];
  readonly shortest: number;
  readonly lead = 0;
  readonly #secret: Uint8Array;
  readonly #stand: Replaced;
  /** At the first byte of a character its UTF-16 units; empty elsewhere. */
  readonly #units: readonly (readonly number[])[];

  constructor(replaced: Replaced) {
    const secret = replaced.bytes;
    this.#secret = secret;
    this.#stand = replaced;
    this.#units = utf16(secret);
    this.length = secret.length;
    this.begins = beginnings(secret[0] ?? 0, secret[1] ?? 0);
    this.within = neighboursOf(
      Array.from(secret, (byte, k) => ways(byte, this.#units[k] ?? [], this.#taken(k))),
    );
    this.shortest = secret.length;
  }

  leads(): boolean {
    return false;
  }

  match(bytes: Uint8Array, at: number, last: boolean): number {
    let place = at;
    for (let k = 0; k < this.#secret.length; ) {
      if (place >= bytes.length) return last ? NOTHING : PERHAPS;
      const step = this.#step(bytes, place, k);
      if (step === null) return NOTHING;
      if (step === PERHAPS) return last ? NOTHING : PERHAPS;
      place += step.width;
      k += step.taken;
    }
    return place;
  }

  replace(bytes: Uint8Array, at: number): void {
    const { alias } = this.#stand;
    let place = at;
    for (let k = 0; k < this.#secret.length; ) {
      const step = this.#step(bytes, place, k);
      if (step === null || step === PERHAPS) return;
      const byte = step.taken === 1 ? (alias[k] ?? 0) : X;
      write(bytes, place, step.width, byte);
      place += step.width;
      k += step.taken;
    }
  }

  /** How the secret goes on from its byte `k`: bytes read, and bytes of the secret they stand for. */
  #step(bytes: Uint8Array, at: number, k: number): Step | typeof PERHAPS | null {
    const wanted = this.#secret[k] ?? 0;
    const byte = bytes[at];
    if (byte === wanted && wanted !== PERCENT && wanted !== BACKSLASH) return LITERAL;
    if (byte === PERCENT) return percentStep(bytes, at, wanted) ?? (wanted === PERCENT ? LITERAL : null);
    if (byte !== BACKSLASH) return null;
    return this.#escape(bytes, at, k, wanted) ?? (wanted === BACKSLASH ? LITERAL : null);
  }

  #escape(bytes: Uint8Array, at: number, k: number, wanted: number): Step | typeof PERHAPS | null {
    if (at + 1 >= bytes.length) return PERHAPS;
    if (isShortEscaped(wanted) && bytes[at + 1] === (SHORT_ESCAPES[wanted] ?? wanted)) return SHORT;
    const units = this.#units[k] ?? [];
    if (bytes[at + 1] !== LETTER_U || units.length === 0) return null;
    for (const [n, unit] of units.entries()) {
      const from = at + 6 * n;
      const head = [BACKSLASH, LETTER_U];
      for (let i = 0; i < 6; i += 1) {
        const byte = bytes[from + i];
        if (byte === undefined) return PERHAPS;
        const expected = head[i] ?? (unit >> (4 * (5 - i))) & 15;
        if ((i < 2 ? byte : digit(byte)) !== expected) return null;
      }
    }
    return { width: 6 * units.length, taken: this.#taken(k) };
  }

  /** The bytes of the character that begins at byte `k`. */
  #taken(k: number): number {
    let taken = 1;
    while (k + taken < this.#secret.length && this.#units[k + taken]?.length === 0) taken += 1;
    return taken;
  }
}

/** The pairs of bytes with which a spelling of two characters can begin. */
function beginnings(first: number, second: number): Pair[] {
  const next = [second, PERCENT, BACKSLASH];
  const literal = next.map((byte): Pair => [first, byte]);
  const high = HEX[first >> 4] ?? '0';
  const percent = [high, high.toUpperCase()].map((digit): Pair => [PERCENT, digit.charCodeAt(0)]);
  const escapes = [LETTER_U, SHORT_ESCAPES[first] ?? first].map((byte): Pair => [BACKSLASH, byte]);
  return [...literal, ...percent, ...escapes];
}

/** All ways to write a byte of a secret, and the character of these units that begins with it. */
function ways(byte: number, units: readonly number[], taken: number): Written[] {
  const escaped = units.flatMap((unit) => [
    [BACKSLASH],
    [LETTER_U],
    ...[12, 8, 4, 0].map((bits) => eitherCase((unit >> bits) & 15)),
  ]);
  return [
    { choices: [[byte]], taken: 1 },
    { choices: [[PERCENT], eitherCase(byte >> 4), eitherCase(byte & 15)], taken: 1 },
    ...(isShortEscaped(byte) ? [{ choices: [[BACKSLASH], [SHORT_ESCAPES[byte] ?? byte]], taken: 1 }] : []),
    ...(escaped.length > 0 ? [{ choices: escaped, taken }] : []),
  ];
}

/** The hexadecimal digits of a value. */
function eitherCase(value: number): number[] {
  const digit = HEX[value] ?? '0';
  return [...new Set([digit, digit.toUpperCase()])].map((text) => text.charCodeAt(0));
}

interface Step {
  readonly width: number;
  readonly taken: number;
}

const LITERAL: Step = { width: 1, taken: 1 };
const SHORT: Step = { width: 2, taken: 1 };
const PERCENT_STEP: Step = { width: 3, taken: 1 };
const X = 0x78;
const HEX = '0123456789abcdef';

function percentStep(bytes: Uint8Array, at: number, wanted: number): Step | typeof PERHAPS | null {
  const high = bytes[at + 1];
  const low = bytes[at + 2];
  if (high !== undefined && digit(high) !== wanted >> 4) return null;
  if (low === undefined) return PERHAPS;
  return digit(low) === (wanted & 15) ? PERCENT_STEP : null;
}

/** Writes one byte in a spelling of the given width. */
function write(bytes: Uint8Array, at: number, width: number, byte: number): void {
  if (width === 1) bytes[at] = byte;
  else if (width === 2) bytes[at + 1] = byte;
  else if (width === 3) bytes.set(hex(byte), at + 1);
  else for (let from = at; from < at + width; from += 6) bytes.set([0x30, 0x30, ...hex(byte)], from + 2);
}

function hex(byte: number): number[] {
  return [HEX.charCodeAt(byte >> 4), HEX.charCodeAt(byte & 15)];
}

function digit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function utf16(secret: Uint8Array): number[][] {
  const units: number[][] = Array.from(secret, () => []);
  let at = 0;
  for (const character of new TextDecoder().decode(secret)) {
    units[at] = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
    at += new TextEncoder().encode(character).length;
  }
  return units.slice(0, secret.length);
}
