import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { contentCodings, decodeContent } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
import { beginsAsZip, zipEntries } from '../http/zip.ts';
import { type ByteFilter, filterWhole, heldFilter, PASS_THROUGH } from './replacer.ts';

/** Maximum size in bytes of a compressed body that is searched and kept, and of a packed file that is searched. */
export const MAX_DECODED_BODY_BYTES = 16 * 1024 * 1024;
/** Maximum size in bytes of decoded content that is searched. */
const MAX_DECODED_BYTES = 8 * MAX_DECODED_BODY_BYTES;
const EMPTY = new Uint8Array(0);

interface ContentRedactor {
  /** `headers`: the header fields of the message, which state its media type. */
  stream(headers?: HeaderPairs): ByteFilter;
  eventStream(): ByteFilter;
}

/**
 * Redacts a body with a content coding. Once the body ends, it returns the original bytes or, if the content holds a secret,
 * the redacted content, encoded again. Bodies above the limit pass unchanged, because only their digest is kept.
 */
export class ContentCodingFilter implements ByteFilter {
  /** Whether the body was changed; its length may then differ. */
  changed = false;
  /** Whether the content could not be decoded, so that only the encoded bytes were searched. */
  unread = false;
  readonly #headers: HeaderPairs;
  readonly #redactor: ContentRedactor;
  readonly #held = heldFilter(
    MAX_DECODED_BODY_BYTES,
    (coded) => this.#redact(coded),
    () => PASS_THROUGH,
  );

  constructor(headers: HeaderPairs, redactor: ContentRedactor) {
    this.#headers = headers;
    this.#redactor = redactor;
  }

  push(piece: Uint8Array): Uint8Array {
    return this.#held.push(piece);
  }

  finish(): Uint8Array {
    return this.#held.finish();
  }

  #redact(coded: Uint8Array): Uint8Array {
    if (coded.length === 0) return coded;
    const message = { headers: this.#headers, body: Body.from(coded) };
    const content = decodeContent(message, MAX_DECODED_BYTES)?.bytes ?? null;
    if (content === null) {
      this.unread = true;
      return filterWhole(this.#redactor.stream(), coded);
    }
    const stream = isEventStream(message)
      ? this.#redactor.eventStream()
      : this.#redactor.stream(this.#headers);
    const redacted = filterWhole(stream, content);
    if (redacted.equals(content)) return coded;
    this.changed = true;
    return contentCodings(this.#headers).reduce<Uint8Array>(applyCoding, redacted);
  }
}

function applyCoding(bytes: Uint8Array, coding: string): Uint8Array {
  if (coding === 'br') return brotliCompressSync(bytes);
  return coding === 'deflate' ? deflateSync(bytes) : gzipSync(bytes);
}

/** First bytes of a gzip file: magic number and the only compression method. */
const GZIP_MAGIC = [0x1f, 0x8b, 0x08];
/** First byte of a zip file, and the number of bytes that distinguish gzip and zip files from all others. */
const ZIP_FIRST_BYTE = 0x50;
const MAGIC_BYTES = 4;
/** Layout of the gzip header (RFC 1952): its length, the flag for a file name, and the offset of the flags. */
const GZIP_HEADER_BYTES = 10;
const NAME_FLAG = 0x08;
const FLAGS_OFFSET = 3;

export function isGzip(bytes: Uint8Array): boolean {
  return GZIP_MAGIC.every((byte, i) => bytes[i] === byte);
}

/** Whether bytes begin like a gzip or zip file; null if there are too few to tell. */
export function beginsAsPacked(bytes: Uint8Array): boolean | null {
  if (bytes.length >= MAGIC_BYTES) return isGzip(bytes) || beginsAsZip(bytes);
  return bytes[0] === undefined || bytes[0] === GZIP_MAGIC[0] || bytes[0] === ZIP_FIRST_BYTE ? null : false;
}

/** The content of a gzip file; null if it is damaged or unpacks to more than `most` bytes. */
export function gunzip(bytes: Uint8Array, most: number): Uint8Array | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: most });
  } catch {
    return null;
  }
}

interface PackedFilters {
  /** Creates a filter for unpacked content. */
  readonly content: () => ByteFilter;
  /** Creates a filter for a file that cannot be unpacked. */
  readonly others: () => ByteFilter;
}

/**
 * Redacts a gzip or zip file that no header declares. It is held back until it is complete and keeps its length: a gzip file is
 * recompressed and padded, or emptied if it no longer fits; in a zip file, files with a secret are emptied.
 */
export function packedFileFilter(
  { content, others }: PackedFilters,
  remark: (message: string) => void,
): ByteFilter {
  const redactGzip = (packed: Uint8Array): Uint8Array => {
    const plain = gunzip(packed, MAX_DECODED_BYTES);
    if (plain === null) {
      remark('A gzip file could not be unpacked: secrets in it are not seen.');
      return filterWhole(others(), packed);
    }
    const redacted = filterWhole(content(), plain);
    if (redacted.equals(plain)) return packed;
    const repacked = padGzip(gzipSync(redacted, { level: 9 }), packed.length);
    if (repacked !== null) return repacked;
    remark(
      'A gzip file held a secret and could not be compressed to the same length: its content is left out.',
    );
    return padGzip(gzipSync(EMPTY), packed.length) ?? new Uint8Array(packed.length);
  };
  // Names and comments, and files that are not compressed, are redacted like other bytes.
  const redactZip = (packed: Uint8Array): Uint8Array => {
    const entries = zipEntries(packed, MAX_DECODED_BYTES);
    const all = filterWhole(others(), packed);
    if (entries.some((entry) => entry.content === null))
      remark('A file in a zip file could not be unpacked: secrets in it are not seen.');
    const withSecret = entries.filter(
      ({ content: plain, from, to }) =>
        plain !== null &&
        !filterWhole(content(), plain).equals(plain) &&
        all.subarray(from, to).equals(packed.subarray(from, to)),
    );
    // `all` may be a view of `packed`, which only this filter holds.
    for (const { from, to } of withSecret) all.fill(0, from, to);
    if (withSecret.length > 0) remark('A file in a zip file held a secret: it is left out.');
    return all;
  };
  return heldFilter(
    MAX_DECODED_BODY_BYTES,
    (packed) => (isGzip(packed) ? redactGzip(packed) : redactZip(packed)),
    () => {
      remark('A packed file was too large to be unpacked: secrets in it are not seen.');
      return others();
    },
  );
}

/** Pads a gzip file with a file name in its header; null if the file is already too long. */
function padGzip(packed: Uint8Array, length: number): Uint8Array | null {
  const missing = length - packed.length;
  if (missing <= 0) return missing === 0 ? packed : null;
  const head = Buffer.from(packed.subarray(0, GZIP_HEADER_BYTES));
  head[FLAGS_OFFSET] = NAME_FLAG;
  const rest = packed.subarray(GZIP_HEADER_BYTES);
  return Buffer.concat([head, Buffer.alloc(missing - 1, 'x'), Buffer.alloc(1), rest]);
}
