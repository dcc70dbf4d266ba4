import { maskOf } from '../alias.ts';
import { splitCredential } from '../headers.ts';
import { beginningsOf, bigramsOf, type Encoding } from '../patterns/bigrams.ts';
import {
  type Bigram,
  inCases,
  LONGEST_HELD,
  type LongValue,
  MOST_SLASHES,
  NO_MATCH,
  PARTIAL_MATCH,
  type Pattern,
  type Tail,
} from '../patterns/pattern.ts';
import { percentDecoded } from '../percent-decoded.ts';
import { nameEnd, SECRET_FIELDS } from './field-names.ts';
import { type ReadOn, readFormValue, readPart, readString, restOf } from './value-ends.ts';

/** Header fields of a part of a form, and the spaces around a colon, take at most so many bytes. */
const LONGEST_HEAD = 1024;
/** The header fields of a part of a form, from behind its name on. */
const HEAD = /^(?:; *filename\*?=[^\r\n]*)?(?:\r\n[\w-]+:[^\r\n]*)*$/;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const QUOTE = 0x22;
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
  /** Whether that is all of it. */
  readonly isWhole: boolean;
  /** Masks the rest of it; null where there is nothing more. */
  readonly rest: LongValue | null;
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
    if (found === null) return NO_MATCH;
    return found.rest === null && isRedacted(bytes, found) ? NO_MATCH : found.to;
  }

  /** See `Pattern.rest`. */
  rest(bytes: Uint8Array, at: number): LongValue | null {
    const found = this.#find(bytes, at, 'final');
    return found === null || found === PARTIAL_MATCH ? null : found.rest;
  }

  /** Replaces the value. One that is spelled with escapes, or not complete, is masked at its length. */
  replace(bytes: Uint8Array, at: number): void {
    const found = this.#find(bytes, at, 'final');
    if (found === null || found === PARTIAL_MATCH || isRedacted(bytes, found)) return;
    if (!found.isWhole) {
      bytes.set(Buffer.from(maskOf(found.to - found.from)), found.from);
      return;
    }
    const raw = Buffer.from(bytes.subarray(found.from, found.to)).toString();
    const { lead, secret } = splitCredential(
      this.#syntax === 'form' ? percentDecoded(raw.replaceAll('+', ' ')) : jsonDecoded(raw),
    );
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
    if (slashes > MOST_SLASHES) return null;
    const quote = bytes[at + slashes];
    if (quote === undefined) return PARTIAL_MATCH;
    if (quote !== QUOTE) return null;
    const after = bytes[at + slashes + 1];
    if (slashes === 0 && (after === CR || after === SEMICOLON)) return partValue(bytes, at + 1);
    return jsonValue(bytes, at + slashes + 1, { slashes, tail });
  }
}

/** The spellings of one byte that has no escaped forms. */
function alone(bytes: readonly number[]): Encoding {
  return { first: bytes, last: bytes, single: bytes, begins: [], within: [] };
}

/** A string after a colon. Within a JSON string both quotes are escaped, with as many backslashes. */
function jsonValue(bytes: Uint8Array, at: number, { slashes, tail }: { slashes: number; tail: Tail }): Found {
  const colon = skip(bytes, at, isSpace);
  if (bytes[colon] === undefined) return colon - at > LONGEST_HEAD ? null : PARTIAL_MATCH;
  if (bytes[colon] !== COLON) return null;
  const opening = skip(bytes, colon + 1, isSpace);
  if (opening - at > LONGEST_HEAD) return null;
  const from = opening + slashes + 1;
  for (let place = opening; place < from; place += 1) {
    if (bytes[place] === undefined) return PARTIAL_MATCH;
    if (bytes[place] !== (place < from - 1 ? BACKSLASH : QUOTE)) return null;
  }
  return value(bytes, from, { readOn: readString(slashes), tail });
}

/** The content of a part of a multipart form: after its empty line, up to the next boundary. */
function partValue(bytes: Uint8Array, at: number): Found {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const blank = head.subarray(0, at + LONGEST_HEAD).indexOf('\r\n\r\n', at);
  if (blank === -1) return bytes.length < at + LONGEST_HEAD ? PARTIAL_MATCH : null;
  if (!HEAD.test(head.toString('latin1', at, blank))) return null;
  // Only a boundary shows that it was a part of a form: it is not over at the end of the bytes.
  return value(bytes, blank + 4, { readOn: readPart(), tail: 'open' });
}

/** The value of a field in a form in the way of URLs. */
function formValue(bytes: Uint8Array, at: number, tail: Tail): Found {
  if (bytes[at] === undefined) return PARTIAL_MATCH;
  if (bytes[at] !== EQUALS) return null;
  const found = value(bytes, at + 1, { readOn: readFormValue(), tail });
  return found === null || found === PARTIAL_MATCH || found.rest !== null
    ? found
    : { ...found, isWhole: true };
}

/** The value that begins at an offset; null for an empty one, because there is nothing to replace. */
function value(bytes: Uint8Array, from: number, { readOn, tail }: { readOn: ReadOn; tail: Tail }): Found {
  const most = from + LONGEST_HELD;
  const { until, state } = readOn(bytes, from, Math.min(bytes.length, most));
  if (state === 'broken') return null;
  if (state === 'open' && bytes.length >= most)
    return { from, to: until, isWhole: false, rest: restOf(readOn) };
  if (state === 'open' && tail === 'open') return PARTIAL_MATCH;
  const to = state === 'open' ? bytes.length : until;
  return to > from ? { from, to, isWhole: state === 'over', rest: null } : null;
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
