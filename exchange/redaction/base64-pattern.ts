import { getOrMake } from '../../schemas/grouping.ts';
import {
  type Bigram,
  beginningsOf,
  bigramsOf,
  type Encoding,
  hexDigits,
  NO_MATCH,
  PARTIAL_MATCH,
  type Pattern,
  type Replacement,
  type Tail,
  writtenAs,
} from './pattern.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The last two digits of the URL alphabet (RFC 4648, section 5). */
const URL_TAIL = '-_';
const VALUES = new Uint8Array(256).fill(255);
for (const [value, digit] of [...ALPHABET].entries()) VALUES[digit.charCodeAt(0)] = value;
for (const [i, digit] of [...URL_TAIL].entries()) VALUES[digit.charCodeAt(0)] = 62 + i;

const DIGITS = Array.from(ALPHABET + URL_TAIL, (digit) => digit.charCodeAt(0));

const LF = 0x0a;
const CR = 0x0d;
const PERCENT = 0x25;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const LETTER_N = 0x6e;
const LETTER_R = 0x72;
/** Line breaks between two digits, plain and in a JSON string. */
const BREAKS = [[LF], [CR, LF], [BACKSLASH, LETTER_N], [BACKSLASH, LETTER_R, BACKSLASH, LETTER_N]];

/** `shared` includes the digits at either end that also hold bits of other bytes. */
export type Reach = 'shared' | 'whole';

/** A secret inside base64 (either alphabet, wrapped or not) that begins `shift` bytes into a group of three. */
export class Base64Pattern implements Pattern {
  /** Bytes of the secret, not of its base64. */
  readonly length: number;
  readonly precedence = 0;
  /** Pairs of bytes that a match can begin with, after the digit that `lead` counts. */
  readonly begins: readonly Bigram[];
  /** Pairs of bytes that can occur in a match, after the digit that `lead` counts. */
  readonly within: readonly Bigram[];
  /** Number of digits, without the one that `lead` counts: the length of an unwrapped, unescaped match. */
  readonly shortest: number;
  /** 1 if the first digit also holds bits of the byte before the secret, otherwise 0. */
  readonly lead: number;
  /** Bits of each digit that belong to the secret. */
  readonly #masks: Uint8Array;
  /** Value of these bits; the others are 0. */
  readonly #bits: Uint8Array;
  /** The same digits of the alias; lazy, because its number is assigned late. */
  readonly #stand: () => Uint8Array;

  constructor(replacement: Replacement, shift: 0 | 1 | 2, reach: Reach) {
    const secret = replacement.bytes;
    const every = new Uint8Array(secret.length).fill(255);
    const masks = digits(every, shift);
    const wanted = (mask: number) => (reach === 'whole' ? mask === 63 : mask > 0);
    const from = masks.findIndex(wanted);
    const to = masks.findLastIndex(wanted) + 1;
    this.length = secret.length;
    this.#masks = masks.subarray(from, to);
    this.#bits = digits(secret, shift).subarray(from, to);
    this.#stand = () => digits(replacement.alias, shift).subarray(from, to);
    this.lead = this.#masks[0] === 63 ? 0 : 1;
    const places = Array.from(this.#masks.subarray(this.lead), (mask, i) =>
      writtenDigit(mask, this.#bits[this.lead + i] ?? 0),
    );
    this.begins = beginningsOf(places);
    this.within = bigramsOf(places);
    this.shortest = places.length;
  }

  /** Whether a digit can hold the first bits of the secret after bits of the previous byte. */
  leads(byte: number): boolean {
    return this.lead === 1 && this.#agrees(byte, 0);
  }

  /** Accepts both alphabets, line breaks, and escaped or percent-encoded digits. */
  match(bytes: Uint8Array, at: number, tail: Tail): number {
    if (this.lead === 1 && !this.#hasLead(bytes, at)) return NO_MATCH;
    let place = at;
    for (let i = this.lead; i < this.#masks.length; i += 1) {
      if (i > this.lead) place += breakWidth(bytes, place);
      const width = digitWidth(bytes, place);
      if (place + width > bytes.length) return tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
      if (!this.#agrees(digitAt(bytes, place, width), i))
        return tail === 'open' && mayBreak(bytes, place) ? PARTIAL_MATCH : NO_MATCH;
      place += width;
    }
    return place;
  }

  /** Writes the alias in the alphabet and spelling of the match. */
  replace(bytes: Uint8Array, at: number): void {
    const stand = this.#stand();
    const places: number[] = this.lead === 1 && !isBroken(bytes, at) ? [at - 1] : [];
    const missing = this.lead - places.length;
    let place = at;
    for (let i = this.lead; i < this.#masks.length; i += 1) {
      if (i > this.lead) place += breakWidth(bytes, place);
      places.push(place);
      place += digitWidth(bytes, place);
    }
    const url = places.some((from) => bytes[from] === 0x2d || bytes[from] === 0x5f);
    for (const [k, from] of places.entries()) {
      const i = k + missing;
      const width = digitWidth(bytes, from);
      const kept = (VALUES[digitAt(bytes, from, width)] ?? 0) & ~(this.#masks[i] ?? 0);
      const value = kept | (stand[i] ?? 0);
      const digit = (url && value >= 62 ? URL_TAIL[value - 62] : ALPHABET[value])?.charCodeAt(0) ?? 0;
      if (width === 1) bytes[from] = digit;
      else if (width === 3) bytes.set(hexDigits(digit), from + 1);
    }
  }

  /** Whether the previous digit begins the secret, or is on the previous line. */
  #hasLead(bytes: Uint8Array, at: number): boolean {
    return isBroken(bytes, at) || this.#agrees(bytes[at - 1] ?? 0, 0);
  }

  #agrees(byte: number, i: number): boolean {
    const value = VALUES[byte] ?? 255;
    return value !== 255 && (value & (this.#masks[i] ?? 0)) === this.#bits[i];
  }
}

const WRITTEN = new Map<number, Encoding>();

function writtenDigit(mask: number, bits: number): Encoding {
  return getOrMake(WRITTEN, mask * 64 + bits, () => newEncoding(mask, bits));
}

function newEncoding(mask: number, bits: number): Encoding {
  const digit = DIGITS.filter((byte) => ((VALUES[byte] ?? 0) & mask) === bits);
  const escaped = digit.filter((byte) => byte === 0x2b || byte === SLASH);
  const ways = [
    [digit],
    ...(digit.includes(SLASH) ? [[[BACKSLASH], [SLASH]]] : []),
    ...escaped.map((byte) => [[PERCENT], ...hexDigits(byte).map((one) => [one, one & ~0x20])]),
  ];
  const broken = ways.flatMap((way) => BREAKS.map((after) => [...way, ...after.map((byte) => [byte])]));
  return writtenAs([...ways, ...broken]);
}

/** Whether a line begins here. The digit before it is then unknown and counts as no match. */
function isBroken(bytes: Uint8Array, at: number): boolean {
  const before = bytes[at - 1];
  return before === LF || (before === LETTER_N && bytes[at - 2] === BACKSLASH);
}

function breakWidth(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first !== LF && first !== CR && first !== BACKSLASH) return 0;
  return BREAKS.find((one) => one.every((byte, i) => bytes[at + i] === byte))?.length ?? 0;
}

/** Whether the bytes may end within a line break or an escaped digit. */
function mayBreak(bytes: Uint8Array, at: number): boolean {
  const rest = bytes.subarray(at);
  return BREAKS.some((one) => rest.length < one.length && rest.every((byte, i) => byte === one[i]));
}

/** Bytes of the spelling of a digit: JSON may write `/` as `\/`, and URLs percent-encode `/` and `+`. */
function digitWidth(bytes: Uint8Array, at: number): 1 | 2 | 3 {
  if (bytes[at] === PERCENT) return 3;
  return bytes[at] === BACKSLASH && bytes[at + 1] === SLASH ? 2 : 1;
}

function digitAt(bytes: Uint8Array, at: number, width: 1 | 2 | 3): number {
  if (width < 3) return bytes[at + width - 1] ?? 0;
  const code = String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0).toLowerCase();
  if (code === '2b') return 0x2b;
  return code === '2f' ? SLASH : 0;
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

/**
 * The digits, as text, that hold only bits of these bytes: they remain recognisable if the base64 is encoded once
 * more.
 */
export function wholeDigits(bytes: Uint8Array, shift: 0 | 1 | 2, alphabet: 'plain' | 'url'): Uint8Array {
  const masks = digits(new Uint8Array(bytes.length).fill(255), shift);
  const values = digits(bytes, shift).filter((_, i) => masks[i] === 63);
  const tail = alphabet === 'url' ? URL_TAIL : ALPHABET.slice(62);
  return values.map((value) => (value < 62 ? ALPHABET : tail).charCodeAt(value < 62 ? value : value - 62));
}
