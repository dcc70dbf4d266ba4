import { join } from 'node:path';
import { getOrMake } from '../../schemas/maps.ts';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { bufferOn } from '../http/bytes.ts';
import { contentCodings, decodeUpTo } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
import { SseReader } from '../http/sse-reader.ts';
import { MAX_CODED_BYTES, MAX_DECODED_BYTES } from '../redaction/compressed-body.ts';
import { eventData, structuredData } from '../redaction/event-stream-filter.ts';
import { jsonPathName } from '../redaction/json-path-name.ts';
import { jsonStrings } from '../redaction/json-strings.ts';
import { gunzip, isGzip } from '../redaction/packed-file.ts';
import { Redactor } from '../redaction/redactor.ts';
import type { BlobStore } from './blobs.ts';
import { inlineBytes } from './body-encoding.ts';
import { beginsAsSecret, type JournalItem, readJournal } from './journal-reader.ts';
import { readFileLines, tryParseLine } from './line-reader.ts';
import { isJournalSecret } from './line-shape.ts';
import type { BodyEvent, JournalSecret } from './lines.ts';
import { DigestSearch, lowercaseAscii } from './secret-digest.ts';

const LF = 0x0a;
/** Size in bytes from which a stream is searched in windows of about this size. */
const MAX_STREAM_BYTES = 16 * 1024 * 1024;
/** Bytes by which pieces of a blob, and windows of a stream, overlap: more than the length of secrets in practice. */
const OVERLAP_BYTES = 64 * 1024;

/** Searches a journal and its blobs for secrets whose digests it has. Null if it has none, or no secret is found. */
export function recoverSecrets(dir: string, blobs: BlobStore): Redactor | null {
  const journal = join(dir, 'journal.jsonl');
  let missing = readSecretDigests(journal);
  const found = new Set<string>();
  if (missing.length === 0) return null;
  let search = new DigestSearch(missing);
  for (const view of searchedViews(journal, blobs)) {
    const texts = search.findIn(view);
    if (texts.size === 0) continue;
    for (const text of texts.values()) found.add(text);
    missing = missing.filter((secret) => !texts.has(secret));
    if (missing.length === 0) break;
    search = new DigestSearch(missing);
  }
  return found.size === 0 ? null : new Redactor({ secrets: [...found], keepFields: true });
}

function readSecretDigests(journal: string): JournalSecret[] {
  const digests: JournalSecret[] = [];
  for (const { bytes, isWhole } of readFileLines(journal)) {
    const line = isWhole && beginsAsSecret(bytes) ? tryParseLine(bytes) : undefined;
    if (isJournalSecret(line)) digests.push(line);
  }
  return digests;
}

function* searchedViews(journal: string, blobs: BlobStore): Generator<Uint8Array> {
  for (const item of readJournal(journal))
    for (const content of searchedContent(item, blobs)) yield* secretViews(content);
}

function* searchedContent(item: JournalItem, blobs: BlobStore): Generator<Uint8Array> {
  if ('header' in item) return;
  if ('note' in item) {
    yield Buffer.from(JSON.stringify(item.note));
    return;
  }
  let headers: HeaderPairs = [];
  const stream: Uint8Array[] = [];
  let size = 0;
  for (const event of item.events) {
    if (event.e === 'piece') {
      stream.push(inlineBytes(event));
      size += event.size;
      if (size < MAX_STREAM_BYTES) continue;
      const window = Buffer.concat(stream.splice(0));
      yield* streamViews(window);
      stream.push(window.subarray(-OVERLAP_BYTES));
      size = OVERLAP_BYTES;
      continue;
    }
    if (event.e === 'request' || event.e === 'response') headers = event.headers;
    if (event.e === 'request-body' || event.e === 'response-body') yield* bodyContent(event, headers, blobs);
    else yield Buffer.from(JSON.stringify(event));
  }
  yield* streamViews(Buffer.concat(stream));
}

function* streamViews(stream: Uint8Array): Generator<Uint8Array> {
  yield stream;
  yield* deltasOf(stream);
}

function* bodyContent(event: BodyEvent, headers: HeaderPairs, blobs: BlobStore): Generator<Uint8Array> {
  if ('digest' in event) {
    yield Buffer.from(JSON.stringify(event.parts ?? []));
    return;
  }
  if (contentCodings(headers).length > 0) yield* decodedBytes(event, headers, blobs);
  if (!('blob' in event)) {
    yield inlineBytes(event);
    return;
  }
  // A gzip file is recognised only from its beginning.
  if (event.size <= MAX_CODED_BYTES) {
    yield blobs.read(event.blob, event.size);
    return;
  }
  let before: Uint8Array = Buffer.alloc(0);
  for (const piece of blobs.pieces(event.blob, event.size)) {
    const bytes = Buffer.concat([before, piece]);
    yield bytes;
    before = bytes.subarray(-OVERLAP_BYTES);
  }
}

function* decodedBytes(event: BodyEvent, headers: HeaderPairs, blobs: BlobStore): Generator<Uint8Array> {
  if ('digest' in event) return;
  const body = Body.from('blob' in event ? blobs.read(event.blob, event.size) : inlineBytes(event));
  const content = decodeUpTo({ headers, body }, MAX_DECODED_BYTES)?.bytes ?? null;
  if (content === null) return;
  yield content;
  if (isEventStream({ headers })) yield* deltasOf(content);
}

/** Base64, in either alphabet, long enough to contain a searchable secret. `x{16,}` exhausts the stack on megabytes. */
const BASE64 = /[A-Za-z0-9+/_-]{16}[A-Za-z0-9+/_-]*/g;
/** Hexadecimal digits long enough to contain a searchable secret. */
const HEX = /[0-9a-fA-F]{24}[0-9a-fA-F]*/g;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g;
const XML_ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The bytes and their decodings in each encoding of the redactor, up to two levels deep; each also in lower case. */
function* secretViews(bytes: Uint8Array): Generator<Uint8Array> {
  yield* withLowerCase(bytes);
  for (const decoded of decodings(bytes)) {
    yield* withLowerCase(decoded);
    for (const decodedTwice of decodings(decoded)) yield* withLowerCase(decodedTwice);
  }
}

function* withLowerCase(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  const lower = lowercaseAscii(bytes);
  if (Buffer.compare(lower, bytes) !== 0) yield lower;
}

function* decodings(bytes: Uint8Array): Generator<Uint8Array> {
  if (isGzip(bytes)) {
    const content = gunzip(bytes, MAX_DECODED_BYTES);
    if (content !== null) yield content;
  }
  const text = bufferOn(bytes).toString('latin1');
  const characters = () => bufferOn(bytes).toString();
  // Text that is not JSON may contain escapes, too.
  if (text.includes('\\')) yield Buffer.from(characters().replaceAll(ESCAPE, fromEscape));
  // JSON nested in JSON strings has several backslashes. The lookbehind keeps a search of a long run of them linear.
  if (text.includes('\\\\u'))
    yield Buffer.from(characters().replaceAll(/(?<!\\)\\+u([0-9a-fA-F]{4})/g, fromHex));
  if (text.includes('%')) yield Buffer.from(text.replaceAll(/%([0-9a-fA-F]{2})/g, fromHex), 'latin1');
  // The redactor replaces secrets that are percent-encoded up to three times, as in URLs within URLs.
  if (text.includes('%25'))
    yield Buffer.from(text.replaceAll(/%(?:25){1,2}([0-9a-fA-F]{2})/g, fromHex), 'latin1');
  if (text.includes('&')) yield Buffer.from(characters().replaceAll(ENTITY, fromEntity));
  // UTF-16 in either byte order, for Latin-1 text.
  if (text.includes('\0')) yield Buffer.from(text.replaceAll('\0', ''), 'latin1');
  // Base64 may be wrapped, even inside a JSON string, and its slashes escaped.
  const joined = text.replaceAll(/\\r|\\n|[\r\n]/g, '').replaceAll('\\/', '/');
  for (const [run] of joined.matchAll(HEX))
    for (const digits of [run, run.slice(1)]) yield Buffer.from(digits, 'hex');
  for (const [run] of joined.matchAll(BASE64))
    for (let from = 0; from < 4; from += 1) yield Buffer.from(run.slice(from), 'base64');
}

function fromEscape(sequence: string, unit: string | undefined, letter = ''): string {
  return unit === undefined ? (SHORT_ESCAPES[letter] ?? letter) : fromHex(sequence, unit);
}

/** An entity for an invalid code point stays unchanged. */
function fromEntity(entity: string, decimal?: string, hex = '', name?: string): string {
  if (name !== undefined) return XML_ENTITIES[name] ?? entity;
  const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}

function fromHex(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

/** The texts that the deltas of a stream build up, by place in the JSON; other data with and without line feeds. */
export function deltasOf(stream: Uint8Array): Uint8Array[] {
  const texts = new Map<string, Uint8Array[]>();
  const add = (name: string, bytes: Uint8Array) => getOrMake(texts, name, () => []).push(bytes);
  const reader = new SseReader();
  const events = reader.push(stream);
  const { events: last, rest } = reader.finish();
  for (const item of [...events, ...last, ...(rest === null ? [] : [rest])]) {
    // An event that is too long is covered by the search of the plain bytes.
    if (item.isTooLong) continue;
    const { event, start, end } = item;
    const json = structuredData(item);
    const { bytes } = eventData(stream.subarray(start, end));
    if (json === null) {
      add(`${event} lines`, bytes);
      const joined = bytes.filter((byte) => byte !== LF);
      add(`${event} text`, joined);
    } else
      for (const string of jsonStrings(bytes))
        add(`${event} json ${jsonPathName(string.path, json.value)}`, string.bytes);
  }
  return [...texts.values()].map((pieces) => Buffer.concat(pieces));
}
