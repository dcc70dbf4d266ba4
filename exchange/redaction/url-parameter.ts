import { decodeSegment } from '../../schemas/index.ts';
import { makeMask, REDACTED_VALUE } from './alias.ts';
import { hexDigits, hexValue, NO_MATCH, PARTIAL_MATCH, type Tail } from './pattern.ts';
import { type LongValue, NOTHING_FOUND, type OpenSearch, Replacer, undecidedAt } from './replacer.ts';
import { isSecretInBody, mayBeSecret } from './secret-names.ts';

interface UrlParameter {
  /** Offset of the delimiter before the name. */
  readonly lead: number;
  readonly name: string;
  readonly from: number;
  /** How many times the equals sign is percent-encoded; a delimiter encoded at most that many times ends the value. */
  readonly depth: number;
}

/** Maximum size in bytes of a value that is held back until complete; the rest of a longer one is masked on arrival. */
export const MAX_HELD_BYTES = 16 * 1024;
/** Maximum number of backslashes, as in JSON nested six levels deep; text with more is not read as JSON. */
export const MAX_BACKSLASHES = 64;
/** Maximum length in bytes of delimiter, name and equals sign, even when escaped in nested JSON. */
const MAX_LEAD_BYTES = 128;

const EQUALS = 0x3d;
const PERCENT = 0x25;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const LETTER_X = 0x78;
const NO_BYTE = 0xff;

/** Delimiter and name at the end of a text. The delimiter may be JSON-escaped, or percent-encoded in a nested URL. */
const LEAD = /(?:[?&;#]|(?:%(?:25){0,2}|\\u00)(?:2[36]|3[bf]))((?:[a-z_-]|%(?:25){0,2}(?:2d|5f)){2,24})$/i;
const PARTIAL_LEAD =
  /(?:(?:[?&;#]|(?:%(?:25){0,2}|\\u00)(?:2[36]|3[bf]))(?:[a-z_-]|%(?:25){0,2}(?:2d|5f)){0,24}(?:\\*%(?:25){0,2}[235]?|\\+(?:u(?:0(?:03?)?)?)?)?|%(?:25){0,2}[23]?|\\(?:u(?:0(?:0[23]?)?)?)?)$/i;
/** Escaped equals signs by first byte, up to the digit whose case may vary. `depths`: levels of percent-encoding. */
const ESCAPED_EQUALS_SIGNS = [
  { first: PERCENT, depths: [1, 2, 3], needles: ['%3', '%253', '%25253'].map((text) => Buffer.from(text)) },
  { first: BACKSLASH, depths: [0], needles: [Buffer.from('\\u003')] },
];

const ESCAPED_PERCENT = Buffer.from('%25');

/** The last letters of the parameters in `secret-rules/places.json`. */
const LAST_OF_NAME = makeByteTable('deglntyDEGLNTY');
const IN_VALUE = makeByteTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%._~+/=-');
const IN_NAME = makeByteTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_');
const BEFORE_NAME = makeByteTable('?&;#%\\0123456789');

/** The methods of `Buffer` are native; those of `Uint8Array` are many times slower. */
const { indexOf, latin1Slice } = Buffer.prototype;

/** URL parameters whose names may be secret, in order. Bytes without `=`, `%` and backslashes cost three searches. */
function findPossibleSecrets(bytes: Uint8Array): readonly UrlParameter[] {
  const parameters: UrlParameter[] = [];
  for (let at = indexOf.call(bytes, EQUALS); at !== -1; at = indexOf.call(bytes, EQUALS, at + 1))
    if (LAST_OF_NAME[bytes[at - 1] ?? 0] === 1)
      collectParameter(parameters, bytes, { nameEnd: at, from: at + 1, depth: 0 });
  const plainCount = parameters.length;
  for (const { first, depths, needles } of ESCAPED_EQUALS_SIGNS) {
    // Searching for one byte is cheaper, and much content contains none.
    const start = indexOf.call(bytes, first);
    if (start === -1) continue;
    for (const [i, needle] of needles.entries()) {
      if (i === 1 && indexOf.call(bytes, ESCAPED_PERCENT, start) === -1) break;
      for (let at = indexOf.call(bytes, needle, start); at !== -1; at = indexOf.call(bytes, needle, at + 1)) {
        const end = at + needle.length;
        if (hexValue(bytes[end] ?? 0) !== EQUALS % 16) continue;
        const nameEnd = startOfBackslashes(bytes, at);
        collectParameter(parameters, bytes, { nameEnd, from: end + 1, depth: depths[i] ?? 0 });
      }
    }
  }
  return parameters.length === plainCount ? parameters : parameters.toSorted((a, b) => a.from - b.from);
}

function collectParameter(
  parameters: UrlParameter[],
  bytes: Uint8Array,
  { nameEnd, from, depth }: { nameEnd: number; from: number; depth: number },
): void {
  const before = latin1Slice.call(bytes, Math.max(0, nameEnd - MAX_LEAD_BYTES), nameEnd);
  const match = LEAD.exec(before);
  if (match?.[1] === undefined) return;
  const name = decodePercent(match[1]);
  if (mayBeSecret(name)) parameters.push({ lead: nameEnd - match[0].length, name, from, depth });
}

function beginningOfParameter(bytes: Uint8Array): number {
  const first = Math.max(0, bytes.length - MAX_LEAD_BYTES);
  let at = bytes.length - 1;
  while (at >= first && IN_NAME[bytes[at] ?? 0] === 1) at -= 1;
  if (at < first || BEFORE_NAME[bytes[at] ?? 0] !== 1) return -1;
  const match = PARTIAL_LEAD.exec(latin1Slice.call(bytes, first, bytes.length));
  return match === null ? -1 : first + match.index;
}

/**
 * End of the value of a parameter that is secret and not masked; NO_MATCH for other parameters, PARTIAL_MATCH if the
 * value may continue. Only the bytes before the next parameter decide, because the next one is judged separately: a
 * byte is not read again for each of many parameters within one value.
 */
function secretEnd(
  bytes: Uint8Array,
  { parameter, next, tail }: { parameter: UrlParameter; next: UrlParameter | undefined; tail: Tail },
): number {
  const limit = parameter.from + MAX_HELD_BYTES;
  const isWithin = next !== undefined && next.from <= limit;
  const value = readValue(bytes, parameter, isWithin ? next.lead : limit);
  if (tail === 'open' && value.isOpen) return PARTIAL_MATCH;
  const { text } = value;
  // If only the first part of a long value was read, its rest may still be a secret, so it counts as a match.
  if (isMasked(text)) return value.isCut && !isWithin && text !== '' ? value.to : NO_MATCH;
  if (!isSecretInBody(parameter.name, text)) return NO_MATCH;
  const fullValue = isWithin ? readValue(bytes, parameter) : value;
  return tail === 'open' && fullValue.isOpen ? PARTIAL_MATCH : fullValue.to;
}

/** Slashes and JSON escapes stay, so that the decoded text has the same mask in every spelling. */
function maskParameter(bytes: Uint8Array, parameter: UrlParameter): void {
  const { text, places } = readValue(bytes, parameter);
  if (isMasked(text)) return;
  const masked = mask(text);
  for (const [k, place] of places.entries()) maskCharacter(bytes, place, masked.charCodeAt(k));
}

function restOfParameter(bytes: Uint8Array, parameter: UrlParameter): LongValue | null {
  if (!readValue(bytes, parameter).isCut) return null;
  return {
    mask: (rest, from, tail) => {
      for (let at = from; ; ) {
        const { to, places, isOpen, isCut } = readValue(rest, { ...parameter, from: at });
        for (const place of places) maskCharacter(rest, place, LETTER_X);
        if (!isCut) return { until: to, isOver: tail === 'final' || !isOpen };
        at = to;
      }
    },
  };
}

function maskCharacter(bytes: Uint8Array, place: number, code: number): void {
  if (bytes[place] !== BACKSLASH) {
    if (bytes[place] !== SLASH) bytes[place] = code;
    return;
  }
  const letter = skipBackslashes(bytes, place);
  if (bytes[letter] === LETTER_U && codeAt(bytes, letter + 3) !== SLASH)
    bytes.set(hexDigits(code), letter + 3);
}

interface Value {
  /** Offset after the part that was read. */
  readonly to: number;
  /** The text without JSON escapes; percent-encoding stays. */
  readonly text: string;
  /** Offset of each character of the text; of its first backslash if it is escaped. */
  readonly places: readonly number[];
  /** Whether the bytes end where the value may continue. */
  readonly isOpen: boolean;
  /** Whether reading stopped at its limit. */
  readonly isCut: boolean;
}

function readValue(bytes: Uint8Array, { from, depth }: UrlParameter, until = from + MAX_HELD_BYTES): Value {
  const places: number[] = [];
  let text = '';
  let at = from;
  while (at < until) {
    const end = characterEnd(bytes, at, depth);
    if (end === PARTIAL_MATCH) return { to: at, text, places, isOpen: true, isCut: false };
    if (end === NO_MATCH) return { to: at, text, places, isOpen: false, isCut: false };
    for (let place = at; place < end; place = bytes[place] === BACKSLASH ? end : place + 1) {
      places.push(place);
      text += String.fromCharCode(bytes[place] === BACKSLASH ? escapedByte(bytes, end) : (bytes[place] ?? 0));
    }
    at = end;
  }
  return { to: at, text, places, isOpen: false, isCut: true };
}

function characterEnd(bytes: Uint8Array, at: number, depth: number): number {
  const byte = bytes[at];
  if (byte === undefined) return PARTIAL_MATCH;
  if (byte === BACKSLASH) return escapeEnd(bytes, at);
  if (byte !== PERCENT || depth === 0) return endIfInValue(byte, at + 1);
  let digits = at + 1;
  for (let level = 1; level < depth && codeAt(bytes, digits) === PERCENT; level += 1) digits += 2;
  if (bytes.length < digits + 2) return PARTIAL_MATCH;
  const code = codeAt(bytes, digits);
  // Inside a nested URL, `%25` without two hexadecimal digits after it is a plain percent sign.
  return code === NO_BYTE && digits > at + 1 ? digits : endIfInValue(code, digits + 2);
}

function escapeEnd(bytes: Uint8Array, at: number): number {
  const next = skipBackslashes(bytes, at);
  if (bytes[next] === SLASH) return next + 1;
  if (next < bytes.length && bytes[next] !== LETTER_U) return NO_MATCH;
  if (next + 5 > bytes.length) return PARTIAL_MATCH;
  return codeAt(bytes, next + 1) === 0 ? endIfInValue(codeAt(bytes, next + 3), next + 5) : NO_MATCH;
}

function escapedByte(bytes: Uint8Array, end: number): number {
  return bytes[end - 1] === SLASH ? SLASH : codeAt(bytes, end - 2);
}

function endIfInValue(byte: number, end: number): number {
  return IN_VALUE[byte] === 1 ? end : NO_MATCH;
}

function codeAt(bytes: Uint8Array, at: number): number {
  const [high, low] = [hexValue(bytes[at] ?? 0), hexValue(bytes[at + 1] ?? 0)];
  return high < 0 || low < 0 ? NO_BYTE : high * 16 + low;
}

function skipBackslashes(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place - at < MAX_BACKSLASHES && bytes[place] === BACKSLASH) place += 1;
  return place;
}

function startOfBackslashes(bytes: Uint8Array, at: number): number {
  let place = at;
  while (at - place < MAX_BACKSLASHES && bytes[place - 1] === BACKSLASH) place -= 1;
  return place;
}

/** Whether a value is empty, a mask, an alias, or the beginning of one: a stream may have shown no more so far. */
function isMasked(text: string): boolean {
  return 'redacted_'.startsWith(text) || REDACTED_VALUE.test(text) || text === mask(text);
}

function mask(text: string): string {
  const plain = makeMask(text.length);
  return text.replaceAll(/[^/]/g, (_, at: number) => plain[at] ?? '');
}

export function makeByteTable(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
}

export const parameterSearch: OpenSearch = (input, tail) => {
  const parameters = findPossibleSecrets(input);
  const beginning = tail === 'open' ? beginningOfParameter(input) : -1;
  if (parameters.length === 0 && beginning === -1) return null;
  const isCovered = (bytes: Uint8Array, { lead }: UrlParameter) => bytes[lead] !== input[lead];
  let index = 0;
  let lastEnd = 0;
  return {
    next: (bytes, from) => {
      if (lastEnd > 0 && lastEnd <= from) index += 1;
      lastEnd = 0;
      for (; index < parameters.length; index += 1) {
        const parameter = parameters[index];
        if (parameter === undefined || isCovered(bytes, parameter)) continue;
        const after = parameters[index + 1];
        const next = after === undefined || isCovered(bytes, after) ? undefined : after;
        const end = secretEnd(bytes, { parameter, next, tail });
        if (end === PARTIAL_MATCH) return undecidedAt(parameter.lead);
        if (end === NO_MATCH) continue;
        lastEnd = end;
        const pattern = {
          replace: (written: Uint8Array) => maskParameter(written, parameter),
          rest: (written: Uint8Array) => restOfParameter(written, parameter),
        };
        return { at: parameter.from, start: parameter.from, end, pattern };
      }
      return beginning === -1 ? NOTHING_FOUND : undecidedAt(beginning);
    },
  };
};

const ESCAPED_EQUALS = /%(?:25)*3d/i;
const replacer = new Replacer([parameterSearch]);

export function maskNestedSecrets(url: string): string {
  return ESCAPED_EQUALS.test(url) ? Buffer.from(replacer.replace(Buffer.from(url))).toString() : url;
}

const MAX_URL_NESTING = 3;

export function decodePercent(value: string): string {
  let decoded = value;
  for (let times = 0; times < MAX_URL_NESTING && decoded.includes('%'); times += 1) {
    const next = decodeSegment(decoded);
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}
