import { hash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { getOrMake } from '../../schemas/grouping.ts';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { bufferOn } from '../http/bytes.ts';
import { contentCodings, decodeContent } from '../http/content.ts';
import { isEventStream, SseReader } from '../http/event-stream.ts';
import { gunzip, isGzip, MAX_DECODED_BODY_BYTES } from '../redaction/compressed-body.ts';
import { eventData, structuredData } from '../redaction/event-stream-filter.ts';
import { jsonPathName } from '../redaction/json-path-name.ts';
import { jsonStrings } from '../redaction/json-strings.ts';
import { Redactor } from '../redaction/redactor.ts';
import type { BlobStore } from './blobs.ts';
import { inlineBytes } from './exchange-lines.ts';
import { beginsAsSecret, type JournalItem, readJournal } from './journal.ts';
import { parseOrUndefined, readFileLines } from './line-files.ts';
import { isJournalSecret } from './line-shape.ts';
import type { BodyEvent, JournalSecret } from './lines.ts';

const LF = 0x0a;
/** Maximum size in bytes of decoded content that is searched. */
const MAX_DECODED_BYTES = 128 * 1024 * 1024;
/** Maximum size in bytes of a stream that is searched as a whole; a longer one is searched in windows of this size. */
const MAX_STREAM_BYTES = 16 * 1024 * 1024;
/** Bytes by which pieces of a blob, and windows of a stream, overlap: more than the longest secret. */
const OVERLAP_BYTES = 64 * 1024;

/**
 * The late secrets of a killed recorder, found in its journal and blobs by the digests in the journal. Null if the
 * journal has no digests, or nothing was found.
 */
export function recoveredSecrets(dir: string, blobs: BlobStore): Redactor | null {
  const journal = join(dir, 'journal.jsonl');
  let wanted = readSecretDigests(journal);
  const found = new Set<string>();
  if (wanted.length === 0) return null;
  let search = new DigestSearch(wanted);
  for (const item of readJournal(journal)) {
    for (const content of searchedContent(item, blobs)) {
      for (const view of secretViews(content)) {
        const texts = search.findIn(view);
        if (texts.size === 0) continue;
        for (const text of texts.values()) found.add(text);
        wanted = wanted.filter((secret) => !texts.has(secret));
        search = new DigestSearch(wanted);
      }
    }
    if (wanted.length === 0) break;
  }
  return found.size === 0 ? null : new Redactor({ secrets: [...found], keepFields: true });
}

function readSecretDigests(journal: string): JournalSecret[] {
  const wanted: JournalSecret[] = [];
  for (const { bytes, whole } of readFileLines(journal)) {
    const line = whole && beginsAsSecret(bytes) ? parseOrUndefined(bytes) : undefined;
    // A damaged line is ignored.
    if (isJournalSecret(line)) wanted.push(line);
  }
  return wanted;
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
  if (contentCodings(headers).length > 0) yield* decodedContent(event, headers, blobs);
  if (!('blob' in event)) {
    yield inlineBytes(event);
    return;
  }
  // A gzip file is recognised only from its beginning.
  if (event.size <= MAX_DECODED_BODY_BYTES) {
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

function* decodedContent(event: BodyEvent, headers: HeaderPairs, blobs: BlobStore): Generator<Uint8Array> {
  if ('digest' in event) return;
  const body = Body.from('blob' in event ? blobs.read(event.blob, event.size) : inlineBytes(event));
  const content = decodeContent({ headers, body }, MAX_DECODED_BYTES)?.bytes ?? null;
  if (content === null) return;
  yield content;
  if (isEventStream({ headers })) yield* deltasOf(content);
}

/**
 * Identifies a secret without storing it: by its length, fifteen bits of a rolling checksum to select candidates, and a salted
 * SHA-256 to confirm them. Guesses can be tested against a digest, so it is written only if the recording may already contain the
 * secret itself, and disappears with the journal.
 */
export function secretDigest(secret: string): JournalSecret {
  const bytes = Buffer.from(secret);
  const salt = randomBytes(16).toString('hex');
  return { e: 'secret', length: bytes.length, checksum: checksum(bytes), salt, digest: digest(salt, bytes) };
}

/** Digests of the secret as it is and in lower case, for text that was lowercased. */
export function secretDigests(secret: string): readonly JournalSecret[] {
  const lower = asciiLower(Buffer.from(secret)).toString();
  return lower === secret ? [secretDigest(secret)] : [secretDigest(secret), secretDigest(lower)];
}

function asciiLower(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  for (const [at, byte] of copy.entries()) if (byte >= 0x41 && byte <= 0x5a) copy[at] = byte + 0x20;
  return copy;
}

/** A prime small enough to keep all products below 2^31. */
const MODULUS = 32_749;
const BASE = 257;

function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = (sum * BASE + byte) % MODULUS;
  return sum;
}

function digest(salt: string, bytes: Uint8Array): string {
  return hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), bytes]));
}

interface LengthGroup {
  readonly length: number;
  /** BASE to the power of `length - 1`, modulo MODULUS: the factor of the byte that leaves the window. */
  readonly highest: number;
  /** Indexed by checksum: 1 if a secret has that checksum. */
  readonly isWanted: Uint8Array;
  readonly secrets: readonly JournalSecret[];
}

/** Searches for secrets known only by their digests, in one pass per distinct length. */
export class DigestSearch {
  readonly #groups: readonly LengthGroup[];

  constructor(secrets: readonly JournalSecret[]) {
    const lengths = new Set(secrets.map(({ length }) => length).filter((length) => length > 0));
    this.#groups = [...lengths].map((length) =>
      groupOf(
        length,
        secrets.filter((secret) => secret.length === length),
      ),
    );
  }

  findIn(bytes: Uint8Array): ReadonlyMap<JournalSecret, string> {
    const found = new Map<JournalSecret, string>();
    for (const group of this.#groups) if (bytes.length >= group.length) searchGroup(group, bytes, found);
    return found;
  }
}

function groupOf(length: number, secrets: readonly JournalSecret[]): LengthGroup {
  let highest = 1;
  for (let k = 1; k < length; k += 1) highest = (highest * BASE) % MODULUS;
  const isWanted = new Uint8Array(MODULUS);
  for (const secret of secrets) isWanted[secret.checksum] = 1;
  return { length, highest, isWanted, secrets };
}

function searchGroup(group: LengthGroup, bytes: Uint8Array, found: Map<JournalSecret, string>): void {
  const { length, highest, isWanted, secrets } = group;
  let sum = checksum(bytes.subarray(0, length));
  for (let end = length; ; end += 1) {
    if (isWanted[sum] === 1) {
      const window = bytes.subarray(end - length, end);
      for (const secret of secrets) {
        if (secret.checksum !== sum || found.has(secret)) continue;
        if (digest(secret.salt, window) === secret.digest) found.set(secret, Buffer.from(window).toString());
      }
    }
    if (end >= bytes.length) return;
    const without = sum - (((bytes[end - length] ?? 0) * highest) % MODULUS) + MODULUS;
    sum = ((without % MODULUS) * BASE + (bytes[end] ?? 0)) % MODULUS;
  }
}

/** Base64, in either alphabet, long enough to contain a searchable secret. */
const BASE64 = /[A-Za-z0-9+/_-]{16,}/g;
/** Hexadecimal digits long enough to contain a searchable secret. */
const HEX = /[0-9a-fA-F]{24,}/g;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g;
const XML_ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Maximum size in bytes of unpacked gzip content that is searched. */
const MAX_UNPACKED_BYTES = 8 * MAX_DECODED_BODY_BYTES;

/** The bytes and their decodings in each encoding that the redactor recognises, up to two levels deep; each also in lower case. */
function* secretViews(bytes: Uint8Array): Generator<Uint8Array> {
  yield* withLowerCase(bytes);
  for (const once of decodings(bytes)) {
    yield* withLowerCase(once);
    for (const twice of decodings(once)) yield* withLowerCase(twice);
  }
}

function* withLowerCase(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  const lower = asciiLower(bytes);
  if (Buffer.compare(lower, bytes) !== 0) yield lower;
}

function* decodings(bytes: Uint8Array): Generator<Uint8Array> {
  if (isGzip(bytes)) {
    const content = gunzip(bytes, MAX_UNPACKED_BYTES);
    if (content !== null) yield content;
  }
  const text = bufferOn(bytes).toString('latin1');
  const characters = () => bufferOn(bytes).toString();
  // Text that is not JSON may contain escapes, too.
  if (text.includes('\\')) yield Buffer.from(characters().replaceAll(ESCAPE, fromEscape));
  // JSON nested in JSON strings has several backslashes.
  if (text.includes('\\\\u')) yield Buffer.from(characters().replaceAll(/\\+u([0-9a-fA-F]{4})/g, fromHex));
  if (text.includes('%')) yield Buffer.from(text.replaceAll(/%([0-9a-fA-F]{2})/g, fromHex), 'latin1');
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

function fromEscape(all: string, unit: string | undefined, letter = ''): string {
  return unit === undefined ? (SHORT_ESCAPES[letter] ?? letter) : fromHex(all, unit);
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

/** The texts that the deltas of an event stream build up, one per place in the JSON; for other data, the joined lines. */
export function deltasOf(stream: Uint8Array): Uint8Array[] {
  const texts = new Map<string, Uint8Array[]>();
  const add = (name: string, bytes: Uint8Array) => getOrMake(texts, name, () => []).push(bytes);
  const reader = new SseReader();
  const events = reader.push(stream);
  const { events: last, rest } = reader.finish();
  for (const read of [...events, ...last, ...(rest === null ? [] : [rest])]) {
    // An event that is too long is covered by the search of the plain bytes.
    if (read.isTooLong) continue;
    const { event, start, end } = read;
    const json = structuredData(read);
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
