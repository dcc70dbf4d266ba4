import { SseReader } from '../../http/sse-reader.ts';
import { MAX_DECODED_BODY_BYTES } from '../../redaction/filters/content-coding-filter.ts';
import { eventData } from '../../redaction/filters/event-data.ts';
import { gunzipped, isGzip } from '../../redaction/filters/gzip.ts';
import { jsonPathName, jsonStrings } from '../../redaction/filters/json-strings.ts';
import { asciiLower } from './secret-digest.ts';

/** Base64, in either alphabet, that can hold a secret long enough to be searched for. */
const BASE64 = /[A-Za-z0-9+/_-]{16,}/g;
/** Hexadecimal digits that can hold such a secret. */
const HEX = /[0-9a-fA-F]{24,}/g;
/** A JSON escape: four hexadecimal digits, or one character. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
/** Characters that JSON escapes of one letter stand for. */
const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** An entity of HTML: decimal, hexadecimal, or one of those that XML has. */
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g;
/** Characters by the names of their entities. */
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Content of a gzip file is searched up to so many bytes. */
const MOST_UNPACKED = 8 * MAX_DECODED_BODY_BYTES;

/**
 * The bytes as they are, and all that they read in the codes in which the redactor recognises a secret: also one within another. Each
 * view also comes in lower case.
 */
export function* secretViews(bytes: Uint8Array): Generator<Uint8Array> {
  yield* inBothCases(bytes);
  for (const once of decodings(bytes)) {
    yield* inBothCases(once);
    for (const twice of decodings(once)) yield* inBothCases(twice);
  }
}

/** The bytes, and where they contain capital letters the same in lower case. */
function* inBothCases(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  const lower = asciiLower(bytes);
  if (Buffer.compare(lower, bytes) !== 0) yield lower;
}

/** The bytes in each of the codes that they may be in. */
function* decodings(bytes: Uint8Array): Generator<Uint8Array> {
  if (isGzip(bytes)) {
    const content = gunzipped(bytes, MOST_UNPACKED);
    if (content !== null) yield content;
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (text.includes('\\')) yield Buffer.from(unescaped(Buffer.from(bytes).toString()));
  if (text.includes('%')) yield Buffer.from(text.replaceAll(/%([0-9a-fA-F]{2})/g, fromHex), 'latin1');
  if (text.includes('&')) yield Buffer.from(withoutEntities(Buffer.from(bytes).toString()));
  // UTF-16 in either order, of text that one byte each is enough for.
  if (text.includes('\0')) yield Buffer.from(text.replaceAll('\0', ''), 'latin1');
  // Base64 may be wrapped, also in a JSON string, and its slashes escaped.
  const joined = text.replaceAll(/\\r|\\n|[\r\n]/g, '').replaceAll('\\/', '/');
  for (const [run] of joined.matchAll(HEX))
    for (const digits of [run, run.slice(1)]) yield Buffer.from(digits, 'hex');
  for (const [run] of joined.matchAll(BASE64))
    for (let from = 0; from < 4; from += 1) yield Buffer.from(run.slice(from), 'base64');
}

/** Decodes JSON escapes, also in text that is not JSON. */
function unescaped(text: string): string {
  return text.replaceAll(ESCAPE, (_, unit: string | undefined, letter: string | undefined) =>
    unit === undefined
      ? (SHORT[letter ?? ''] ?? letter ?? '')
      : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}

/** Decodes entities; one that stands for no character stays. */
function withoutEntities(text: string): string {
  return text.replaceAll(
    ENTITY,
    (entity, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return NAMED[name] ?? entity;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    },
  );
}

/** The character with a hexadecimal code. */
function fromHex(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

/** The texts that an event stream builds up by its deltas, one per place in the JSON of its events; of other data its lines joined. */
export function deltasOf(stream: Uint8Array): Uint8Array[] {
  const texts = new Map<string, Uint8Array[]>();
  const add = (name: string, bytes: Uint8Array) => {
    const text = texts.get(name);
    if (text === undefined) texts.set(name, [bytes]);
    else text.push(bytes);
  };
  const reader = new SseReader();
  const events = reader.push(stream);
  const { events: last, rest } = reader.finish();
  for (const { event, json, start, end } of [...events, ...last, ...(rest === null ? [] : [rest])]) {
    const { bytes } = eventData(stream.subarray(start, end));
    if (json === null) {
      add(`${event} lines`, bytes);
      add(
        `${event} text`,
        bytes.filter((byte) => byte !== LF),
      );
    } else
      for (const string of jsonStrings(bytes, () => true)) {
        add(`${event} json ${jsonPathName(string.path, json.value)}`, string.bytes);
      }
  }
  return [...texts.values()].map((pieces) => Buffer.concat(pieces));
}

const LF = 0x0a;
