import { maskOf } from '../alias.ts';
import { splitCredential } from '../headers.ts';
import { beginningsOf, bigramsOf, type Encoding } from '../patterns/bigrams.ts';
import {
  type Bigram,
  inCases,
  NO_MATCH,
  PARTIAL_MATCH,
  type Pattern,
  type Tail,
} from '../patterns/pattern.ts';
import { nameEnd, SECRET_FIELDS } from './field-names.ts';

/** Longer values are left as they are, as waiting for their end would hold too much back. Bytes. */
const LONGEST = 16 * 1024;
/** Header fields of a part of a form take at most so many bytes. */
const LONGEST_HEAD = 1024;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const QUOTE = 0x22;
const AMPERSAND = 0x26;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;

/** Gives the bytes, as many, that take the place of a value. */
export type StandInFor = (value: string) => Uint8Array;

/** Where a value stands. */
interface Value {
  readonly from: number;
  readonly to: number;
}

/** Result of a search: the place of a value, an incomplete one, or null. */
type Found = Value | typeof PARTIAL_MATCH | null;

/**
 * The value of a field that is named as a secret: a string in JSON (or in JSON within a string), a part of
 * a multipart form, or with `form` a field of a form in the way of URLs.
 */
export class NamedField implements Pattern {
  readonly length = 0;
  readonly precedence = 0;
  readonly begins: readonly Bigram[];
  readonly within: readonly Bigram[];
  readonly shortest: number;
  readonly lead = 0;
  readonly #syntax: 'quoted' | 'form';
  readonly #standIn: StandInFor;

  constructor(syntax: 'quoted' | 'form', standIn: StandInFor) {
    this.#syntax = syntax;
    this.#standIn = standIn;
    const ends = syntax === 'form' ? [EQUALS] : [QUOTE, BACKSLASH];
    const encodings = SECRET_FIELDS.map((name) => [
      ...Array.from(name, (byte) => alone(inCases(byte, 'either'))),
      alone(ends),
    ]);
    this.begins = [...new Set(encodings.flatMap(beginningsOf))];
    this.within = [...new Set(encodings.flatMap(bigramsOf))];
    this.shortest = Math.min(...encodings.map((places) => places.length));
  }

  /** The name of a field has no variable byte before it. */
  leads(): boolean {
    return false;
  }

  /** Matches the name and the value of a field whose value is not redacted yet. */
  match(bytes: Uint8Array, at: number, tail: Tail): number {
    const found = this.#find(bytes, at, tail);
    if (found === PARTIAL_MATCH) return tail === 'final' ? NO_MATCH : PARTIAL_MATCH;
    return found === null || isRedacted(bytes, found) ? NO_MATCH : found.to;
  }

  /** Replaces the value; a value that is spelled with escapes is masked at its length. */
  replace(bytes: Uint8Array, at: number): void {
    const found = this.#find(bytes, at, 'final');
    if (found === null || found === PARTIAL_MATCH) return;
    const raw = Buffer.from(bytes.subarray(found.from, found.to)).toString();
    const { lead, secret } = splitCredential(this.#syntax === 'form' ? formDecoded(raw) : jsonDecoded(raw));
    const stand = this.#standIn(secret);
    if (raw === `${lead}${secret}`) bytes.set(stand, found.from + Buffer.byteLength(lead));
    else bytes.set(Buffer.from(maskOf(found.to - found.from)), found.from);
  }

  /** Finds the value after any of the names that begin at an offset. */
  #find(bytes: Uint8Array, at: number, tail: Tail): Found {
    let perhaps = false;
    for (const name of SECRET_FIELDS) {
      const end = nameEnd(bytes, at, name);
      if (end === null) continue;
      const found = end === PARTIAL_MATCH ? PARTIAL_MATCH : this.#valueAfter(bytes, end, tail);
      if (found !== null && found !== PARTIAL_MATCH) return found;
      perhaps ||= found === PARTIAL_MATCH;
    }
    return perhaps ? PARTIAL_MATCH : null;
  }

  /** Finds the value of a field whose name ends at an offset. */
  #valueAfter(bytes: Uint8Array, at: number, tail: Tail): Found {
    if (this.#syntax === 'form') return formValue(bytes, at, tail);
    const slashes = skip(bytes, at, isBackslash) - at;
    const quote = bytes[at + slashes];
    if (quote === undefined) return PARTIAL_MATCH;
    if (quote !== QUOTE) return null;
    const after = bytes[at + slashes + 1];
    if (slashes === 0 && (after === CR || after === SEMICOLON)) return partValue(bytes, at + 1);
    return jsonValue(bytes, at + slashes + 1, slashes);
  }
}

/** The spellings of one byte that has no escaped forms. */
function alone(bytes: readonly number[]): Encoding {
  return { first: bytes, last: bytes, single: bytes, begins: [], within: [] };
}

/** A string after a colon. Within a JSON string both quotes are escaped, with as many backslashes. */
function jsonValue(bytes: Uint8Array, at: number, slashes: number): Found {
  const colon = skip(bytes, at, isSpace);
  if (bytes[colon] === undefined) return PARTIAL_MATCH;
  if (bytes[colon] !== COLON) return null;
  const opening = skip(bytes, colon + 1, isSpace);
  const from = opening + slashes + 1;
  for (let place = opening; place < from; place += 1) {
    if (bytes[place] === undefined) return PARTIAL_MATCH;
    if (bytes[place] !== (place < from - 1 ? BACKSLASH : QUOTE)) return null;
  }
  let escapes = 0;
  for (let place = from; place < from + LONGEST; place += 1) {
    const byte = bytes[place];
    if (byte === undefined) return PARTIAL_MATCH;
    if (byte === QUOTE && escapes % (2 * (slashes + 1)) === slashes) return value(from, place - slashes);
    escapes = byte === BACKSLASH ? escapes + 1 : 0;
  }
  return null;
}

/** The content of a part of a multipart form: after its empty line, up to the next boundary. */
function partValue(bytes: Uint8Array, at: number): Found {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const blank = head.subarray(0, at + LONGEST_HEAD).indexOf('\r\n\r\n', at);
  if (blank === -1) return bytes.length < at + LONGEST_HEAD ? PARTIAL_MATCH : null;
  const from = blank + 4;
  const to = head.subarray(0, from + LONGEST).indexOf('\r\n--', from);
  if (to === -1) return bytes.length < from + LONGEST ? PARTIAL_MATCH : null;
  return value(from, to);
}

/** The value of a field in a form in the way of URLs. */
function formValue(bytes: Uint8Array, at: number, tail: Tail): Found {
  if (bytes[at] === undefined) return PARTIAL_MATCH;
  if (bytes[at] !== EQUALS) return null;
  for (let place = at + 1; place < at + LONGEST; place += 1) {
    const byte = bytes[place];
    if (byte === undefined) return tail === 'final' ? value(at + 1, place) : PARTIAL_MATCH;
    if (byte === AMPERSAND || byte === CR || byte === LF) return value(at + 1, place);
  }
  return null;
}

/** A place, or null for an empty value: there is nothing to replace. */
function value(from: number, to: number): Value | null {
  return to > from ? { from, to } : null;
}

/** Whether an alias or a mask stands there already. */
function isRedacted(bytes: Uint8Array, { from, to }: Value): boolean {
  const text = Buffer.from(bytes.subarray(from, to)).toString();
  return /^(?:redacted_[\dx_/]*|rx*|x+)$/.test(splitCredential(text).secret);
}

/** Offset of the first byte from `at` on that is not skipped. */
function skip(bytes: Uint8Array, at: number, isSkipped: (byte: number) => boolean): number {
  let place = at;
  while (place < bytes.length && isSkipped(bytes[place] ?? 0)) place += 1;
  return place;
}

function isBackslash(byte: number): boolean {
  return byte === BACKSLASH;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === LF || byte === CR;
}

/** Decodes JSON escapes; text that is not valid stays as it is. */
function jsonDecoded(raw: string): string {
  try {
    return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
  } catch {
    return raw;
  }
}

/** Decodes percent escapes of a form; text that is not valid stays as it is. */
function formDecoded(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return raw;
  }
}
