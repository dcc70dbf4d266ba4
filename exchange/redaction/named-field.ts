import { isUtf8 } from 'node:buffer';
import { groupBy } from '../../schemas/maps.ts';
import { beginningLength, bufferOn } from '../http/bytes.ts';
import { type AliasFactory, makeMask, REDACTED_VALUE } from './alias.ts';
import { splitCredential } from './header-fields.ts';
import { casesOf, isSameByte, PARTIAL_MATCH, type Tail } from './pattern.ts';
import { type LongValue, NOTHING_FOUND, type OpenSearch, undecidedAt } from './replacer.ts';
import { SECRET_FIELDS } from './secret-names.ts';
import { decodePercent, MAX_BACKSLASHES, MAX_HELD_BYTES, makeByteTable } from './url-parameter.ts';

/** Maximum number of bytes between a name and its value: white space in JSON, the rest of the head in a form part. */
const MAX_GAP_BYTES = 1024;
/** The rest of the head of a form part, after the closing quote of its name. */
const PART_HEAD = /^(?:; *filename\*?=[^\r\n]*)?(?:\r\n[\w-]+:[^\r\n]*)*$/;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const QUOTE = 0x22;
const AMPERSAND = 0x26;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;
const LETTER_X = 0x78;
const BOUNDARY = Buffer.from('\r\n--');

type Syntax = 'quoted' | 'form';
const AFTER_NAME: Readonly<Record<Syntax, Uint8Array>> = {
  quoted: makeByteTable('"\\'),
  form: makeByteTable('='),
};

interface Value {
  readonly from: number;
  readonly to: number;
  readonly isComplete: boolean;
  readonly rest: LongValue | null;
}

type ReadResult = Value | typeof PARTIAL_MATCH | null;

/**
 * Finds the values of fields that are named like secrets, unless they are already redacted: JSON strings (also in JSON
 * nested in a string) and parts of multipart forms, or, with `form`, fields of URL-encoded forms.
 */
export function fieldSearch(syntax: Syntax, makeAlias: AliasFactory): OpenSearch {
  return (input, tail) => {
    const names = namesIn(input, syntax);
    const beginning = tail === 'open' ? beginningOfName(input) : -1;
    if (names.length === 0 && beginning === -1) return null;
    let index = 0;
    return {
      next: (bytes, from) => {
        for (; index < names.length; index += 1) {
          const [at, nameEnd] = names[index] ?? [0, 0];
          const value = at < from ? null : valueAfter(bytes, nameEnd, { syntax, tail });
          if (value === PARTIAL_MATCH && tail === 'open') return undecidedAt(at);
          if (value === null || value === PARTIAL_MATCH) continue;
          if (value.rest === null && isRedacted(bytes, value)) continue;
          const replace = (copy: Uint8Array) => replaceValue(copy, value, { syntax, makeAlias });
          return { at, start: at, end: value.to, pattern: { replace, rest: () => value.rest } };
        }
        return beginning < from ? NOTHING_FOUND : undecidedAt(beginning);
      },
    };
  };
}

/** Replaces a value with its alias, or with a mask of equal length if it has escapes, is incomplete or is not UTF-8. */
function replaceValue(
  bytes: Uint8Array,
  value: Value,
  { syntax, makeAlias }: { readonly syntax: Syntax; readonly makeAlias: AliasFactory },
): void {
  const { from, to, isComplete } = value;
  if (isRedacted(bytes, value)) return;
  const raw = Buffer.from(bytes.subarray(from, to)).toString();
  const text = syntax === 'form' ? decodePercent(raw.replaceAll('+', ' ')) : decodeJson(raw);
  const { lead, secret } = splitCredential(text);
  const alias = isComplete && isUtf8(bytes.subarray(from, to)) ? makeAlias(secret) : null;
  if (alias !== null && raw === `${lead}${secret}`) bytes.set(alias, from + Buffer.byteLength(lead));
  else bytes.set(Buffer.from(makeMask(to - from)), from);
}

function valueAfter(
  bytes: Uint8Array,
  at: number,
  { syntax, tail }: { readonly syntax: Syntax; readonly tail: Tail },
): ReadResult {
  if (syntax === 'form') return formValue(bytes, at, tail);
  const backslashes = skip(bytes, at, (byte) => byte === BACKSLASH) - at;
  if (backslashes > MAX_BACKSLASHES) return null;
  const quote = bytes[at + backslashes];
  if (quote === undefined) return PARTIAL_MATCH;
  if (quote !== QUOTE) return null;
  const after = bytes[at + backslashes + 1];
  if (backslashes === 0 && (after === CR || after === SEMICOLON)) return partValue(bytes, at + 1);
  return jsonValue(bytes, at + backslashes + 1, { backslashes, tail });
}

/** Reads the JSON value after a name. Within a string, the quotes around both follow the same number of backslashes. */
function jsonValue(
  bytes: Uint8Array,
  at: number,
  { backslashes, tail }: { backslashes: number; tail: Tail },
): ReadResult {
  const colon = skip(bytes, at, isSpace);
  if (bytes[colon] === undefined) return colon - at > MAX_GAP_BYTES ? null : PARTIAL_MATCH;
  if (bytes[colon] !== COLON) return null;
  const opening = skip(bytes, colon + 1, isSpace);
  if (opening - at > MAX_GAP_BYTES) return null;
  const from = opening + backslashes + 1;
  for (let place = opening; place < from; place += 1) {
    if (bytes[place] === undefined) return PARTIAL_MATCH;
    if (bytes[place] !== (place < from - 1 ? BACKSLASH : QUOTE)) return null;
  }
  return readValue(bytes, from, { readMore: stringReader(backslashes), tail });
}

function partValue(bytes: Uint8Array, at: number): ReadResult {
  const buffer = bufferOn(bytes);
  const blank = buffer.subarray(0, at + MAX_GAP_BYTES).indexOf('\r\n\r\n', at);
  if (blank === -1) return bytes.length < at + MAX_GAP_BYTES ? PARTIAL_MATCH : null;
  if (!PART_HEAD.test(buffer.toString('latin1', at, blank))) return null;
  // Only a boundary proves that this is a part of a form, so the end of the bytes does not complete the value.
  return readValue(bytes, blank + 4, { readMore: readPart, tail: 'open' });
}

function formValue(bytes: Uint8Array, at: number, tail: Tail): ReadResult {
  const value = readValue(bytes, at + 1, { readMore: readFormValue, tail });
  if (value === null || value === PARTIAL_MATCH || value.rest !== null) return value;
  return { ...value, isComplete: true };
}

/** Reads a value; null if it is empty, and so has nothing to replace, or `broken`. */
function readValue(
  bytes: Uint8Array,
  from: number,
  { readMore, tail }: { readMore: ReadMore; tail: Tail },
): ReadResult {
  const limit = from + MAX_HELD_BYTES;
  const { until, state } = readMore(bytes, from, Math.min(bytes.length, limit));
  if (state === 'broken') return null;
  if (state === 'open' && bytes.length >= limit)
    return { from, to: until, isComplete: false, rest: createRestMask(readMore) };
  if (state === 'open' && tail === 'open') return PARTIAL_MATCH;
  const to = state === 'open' ? bytes.length : until;
  return to > from ? { from, to, isComplete: state === 'over', rest: null } : null;
}

function isRedacted(bytes: Uint8Array, { from, to }: Value): boolean {
  const text = Buffer.from(bytes.subarray(from, to)).toString();
  return REDACTED_VALUE.test(splitCredential(text).secret);
}

function skip(bytes: Uint8Array, at: number, isSkipped: (byte: number) => boolean): number {
  let place = at;
  while (place < bytes.length && isSkipped(bytes[place] ?? 0)) place += 1;
  return place;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === LF || byte === CR;
}

function decodeJson(raw: string): string {
  try {
    return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
  } catch {
    return raw;
  }
}

const MAX_NAME_LENGTH = Math.max(...SECRET_FIELDS.map(({ length }) => length));
const MIN_NAME_LENGTH = Math.min(...SECRET_FIELDS.map(({ length }) => length));

const NAMES_BY_LAST_BYTE = groupBy(SECRET_FIELDS, (name) => name.at(-1) ?? 0);
const NAMES_BY_FIRST_BYTE: readonly (readonly Buffer[])[] = Array.from({ length: 256 }, (_, byte) =>
  SECRET_FIELDS.filter((name) => isSameByte(byte, name[0] ?? 0, 'either')),
);

const NAMES = SECRET_FIELDS.join('');
const NAME_BYTES = makeByteTable(NAMES + NAMES.toUpperCase());

/** 1 for each pair of neighbouring bytes that some name contains in some case, by `first * 256 + second`. */
const NAME_PAIRS = new Uint8Array(65_536);
for (const name of SECRET_FIELDS)
  for (let i = 1; i < name.length; i += 1)
    for (const first of casesOf(name[i - 1] ?? 0, 'either'))
      for (const second of casesOf(name[i] ?? 0, 'either')) NAME_PAIRS[(first << 8) | second] = 1;

function namesIn(bytes: Uint8Array, syntax: Syntax): readonly (readonly [start: number, end: number])[] {
  const names: (readonly [number, number])[] = [];
  const canFollow = AFTER_NAME[syntax];
  for (let end = MIN_NAME_LENGTH; end < bytes.length; ) {
    // Every name that ends here or up to MIN_NAME_LENGTH - 2 bytes later contains this pair, so most bytes are skipped.
    if (NAME_PAIRS[((bytes[end - 2] ?? 0) << 8) | (bytes[end - 1] ?? 0)] === 0) {
      end += MIN_NAME_LENGTH - 1;
      continue;
    }
    if (canFollow[bytes[end] ?? 0] === 1) {
      const start = nameBefore(bytes, end);
      if (start !== -1) names.push([start, end]);
    }
    end += 1;
  }
  return names;
}

function nameBefore(bytes: Uint8Array, end: number): number {
  for (const name of NAMES_BY_LAST_BYTE.get((bytes[end - 1] ?? 0) | 0x20) ?? []) {
    const start = end - name.length;
    let i = name.length - 2;
    while (i >= 0 && isSameByte(bytes[start + i] ?? 0, name[i] ?? 0, 'either')) i -= 1;
    if (i < 0 && start >= 0) return start;
  }
  return -1;
}

/** Offset from which the bytes end in a name or the beginning of one; -1 if they do not. */
function beginningOfName(bytes: Uint8Array): number {
  const first = Math.max(0, bytes.length - MAX_NAME_LENGTH);
  let from = bytes.length;
  while (from > first && NAME_BYTES[bytes[from - 1] ?? 0] === 1) from -= 1;
  for (let at = from; at < bytes.length; at += 1) {
    const remaining = bytes.length - at;
    const mayContinue = (name: Buffer) => {
      let i = 1;
      while (i < remaining && isSameByte(bytes[at + i] ?? 0, name[i] ?? 0, 'either')) i += 1;
      return i === remaining;
    };
    if (NAMES_BY_FIRST_BYTE[bytes[at] ?? 0]?.some((name) => name.length >= remaining && mayContinue(name)))
      return at;
  }
  return -1;
}

/**
 * How far a value was read: to its end (`over`), to its first undecided byte (`open`), or, in a JSON string, to the end
 * of the surrounding text or a blank line, if either comes first (`broken`).
 */
interface ReadProgress {
  readonly until: number;
  readonly state: 'over' | 'open' | 'broken';
}

type ReadMore = (bytes: Uint8Array, from: number, to: number) => ReadProgress;

/** Creates a reader of JSON strings whose quotes follow `leading` backslashes. A string cannot contain a blank line. */
function stringReader(leading: number): ReadMore {
  let backslashes = 0;
  let last = 0;
  return (bytes, from, to) => {
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      // A quote of a shallower nesting level ends a surrounding string.
      if (byte === QUOTE && backslashes % (leading + 1) !== leading) return { until: at, state: 'broken' };
      if (byte === QUOTE && backslashes % (2 * (leading + 1)) === leading)
        return { until: at - leading, state: 'over' };
      if (isBlankLine(last, byte)) return { until: at, state: 'broken' };
      backslashes = byte === BACKSLASH ? backslashes + 1 : 0;
      last = byte;
    }
    const kept = Math.min(leading, backslashes);
    backslashes -= kept;
    return { until: to - kept, state: 'open' };
  };
}

function readPart(bytes: Uint8Array, from: number, to: number): ReadProgress {
  const content = bufferOn(bytes, from, to);
  const end = content.indexOf(BOUNDARY);
  if (end !== -1) return { until: from + end, state: 'over' };
  return { until: to - beginningLength(content, BOUNDARY), state: 'open' };
}

function readFormValue(bytes: Uint8Array, from: number, to: number): ReadProgress {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at];
    if (byte === AMPERSAND || byte === CR || byte === LF) return { until: at, state: 'over' };
  }
  return { until: to, state: 'open' };
}

/** Creates the mask of the rest of a value. Line breaks stay, because they end events. */
function createRestMask(readMore: ReadMore): LongValue {
  return {
    mask: (bytes, from, tail) => {
      const { until, state } = readMore(bytes, from, bytes.length);
      const isOver = state !== 'open' || tail === 'final';
      const end = state === 'open' && isOver ? bytes.length : until;
      for (let at = from; at < end; at += 1) if (bytes[at] !== LF && bytes[at] !== CR) bytes[at] = LETTER_X;
      return { until: end, isOver };
    },
  };
}

function isBlankLine(last: number, byte: number): boolean {
  return (byte === LF && last === LF) || (byte === CR && (last === LF || last === CR));
}
