import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { contentCodings, decodeContent } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
import { beginsAsZip, zipEntries } from '../http/zip.ts';
import type { ByteFilter } from './replacer.ts';

/** Larger compressed bodies are neither searched nor kept. Bytes. */
export const MAX_DECODED_BODY_BYTES = 16 * 1024 * 1024;
/** Largest decoded content that is searched. Bytes. */
const DECODED_LIMIT = 8 * MAX_DECODED_BODY_BYTES;
const EMPTY = new Uint8Array(0);

interface ContentRedactor {
  /** `headers`: those of the message, for its media type. */
  stream(headers?: HeaderPairs): ByteFilter;
  eventStream(): ByteFilter;
}

/**
 * Redacts a body with a content coding. Nothing comes out before the end; then the original bytes or, if the content
 * holds a secret, the redacted content, coded again. Bodies above the limit pass unchanged, to be digested.
 */
export class ContentCodingFilter implements ByteFilter {
  readonly #headers: HeaderPairs;
  readonly #redactor: ContentRedactor;
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** Whether the body was changed. */
  changed = false;
  /** Whether the content could not be decoded, so that only the coded bytes were searched. */
  unread = false;

  constructor(headers: HeaderPairs, redactor: ContentRedactor) {
    this.#headers = headers;
    this.#redactor = redactor;
  }

  push(piece: Uint8Array): Uint8Array {
    this.#size += piece.length;
    if (this.#size > MAX_DECODED_BODY_BYTES) {
      const all = Buffer.concat([...this.#pieces, piece]);
      this.#pieces = [];
      return all;
    }
    this.#pieces.push(piece);
    return EMPTY;
  }

  /** The length of a changed body may differ. */
  finish(): Uint8Array {
    const coded = Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (coded.length === 0) return coded;
    const content =
      decodeContent({ headers: this.#headers, body: Body.from(coded) }, DECODED_LIMIT)?.bytes ?? null;
    if (content === null) {
      this.unread = true;
      return through(this.#redactor.stream(), coded);
    }
    const stream = isEventStream({ headers: this.#headers })
      ? this.#redactor.eventStream()
      : this.#redactor.stream(this.#headers);
    const redacted = through(stream, content);
    if (Buffer.compare(redacted, content) === 0) return coded;
    this.changed = true;
    return contentCodings(this.#headers).reduce<Uint8Array>(encode, redacted);
  }
}

function through(filter: ByteFilter, bytes: Uint8Array): Buffer {
  return Buffer.concat([filter.push(bytes), filter.finish()]);
}

function encode(bytes: Uint8Array, coding: string): Uint8Array {
  if (coding === 'br') return brotliCompressSync(bytes);
  return coding === 'deflate' ? deflateSync(bytes) : gzipSync(bytes);
}

/** First bytes of a gzip file: magic number and the only compression method. */
const MARK = [0x1f, 0x8b, 0x08];
/** First byte of a zip file, and the number of bytes that distinguish both from all others. */
const ZIP_MARK = 0x50;
const LONGEST_MARK = 4;
/** Layout of the gzip header (RFC 1952): its length, and the flag for a file name. */
const HEAD = 10;
const NAME_FLAG = 0x08;
const FLAGS = 3;

export function isGzip(bytes: Uint8Array): boolean {
  return MARK.every((byte, i) => bytes[i] === byte);
}

/** Whether bytes begin like a gzip or zip file; null if they are too few. */
export function beginsAsPacked(bytes: Uint8Array): boolean | null {
  if (bytes.length >= LONGEST_MARK) return isGzip(bytes) || beginsAsZip(bytes);
  return bytes[0] === undefined || bytes[0] === MARK[0] || bytes[0] === ZIP_MARK ? null : false;
}

/** Null if the file is damaged or unpacks to more than `most` bytes. */
export function gunzipped(bytes: Uint8Array, most: number): Uint8Array | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: most });
  } catch {
    return null;
  }
}

/** Larger packed files, and larger content, are not searched. Bytes. */
interface PackedLimits {
  readonly packed: number;
  readonly unpacked: number;
}

/**
 * Redacts a gzip or zip file that no header declares. It is held back until it is complete and keeps its length: a gzip file
 * is compressed again and padded, or emptied if it no longer fits; in a zip file, files with a secret are emptied.
 */
export class PackedFileFilter implements ByteFilter {
  readonly #content: () => ByteFilter;
  readonly #others: () => ByteFilter;
  readonly #limits: PackedLimits;
  readonly #remark: (message: string) => void;
  readonly #held: Uint8Array[] = [];
  #size = 0;
  #through: ByteFilter | null = null;

  /** `content` makes the filter for unpacked content, `others` that for a file that cannot be unpacked. */
  constructor(
    filters: { readonly content: () => ByteFilter; readonly others: () => ByteFilter },
    limits: PackedLimits,
    remark: (message: string) => void,
  ) {
    this.#content = filters.content;
    this.#others = filters.others;
    this.#limits = limits;
    this.#remark = remark;
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.#through !== null) return this.#through.push(piece);
    // Copied: the pieces of a file are read into the same memory.
    this.#held.push(new Uint8Array(piece));
    this.#size += piece.length;
    if (this.#size <= this.#limits.packed) return EMPTY;
    this.#remark('A packed file was too large to be unpacked: secrets in it are not seen.');
    this.#through = this.#others();
    return this.#through.push(Buffer.concat(this.#held.splice(0)));
  }

  finish(): Uint8Array {
    if (this.#through !== null) return this.#through.finish();
    const packed = Buffer.concat(this.#held.splice(0));
    return isGzip(packed) ? this.#gzip(packed) : this.#zip(packed);
  }

  #gzip(packed: Uint8Array): Uint8Array {
    const content = gunzipped(packed, this.#limits.unpacked);
    if (content === null) {
      this.#remark('A gzip file could not be unpacked: secrets in it are not seen.');
      return through(this.#others(), packed);
    }
    const redacted = through(this.#content(), content);
    return redacted.equals(content) ? packed : this.#repacked(redacted, packed.length);
  }

  #repacked(content: Uint8Array, length: number): Uint8Array {
    const packed = padded(gzipSync(content, { level: 9 }), length);
    if (packed !== null) return packed;
    this.#remark(
      'A gzip file held a secret and could not be packed anew at its length: its content is left out.',
    );
    return padded(gzipSync(EMPTY), length) ?? new Uint8Array(length);
  }

  /** Names and comments, and files that are not compressed, are redacted like other bytes. */
  #zip(packed: Uint8Array): Uint8Array {
    const entries = zipEntries(packed, this.#limits.unpacked);
    const all = through(this.#others(), packed);
    if (entries.some(({ content }) => content === null))
      this.#remark('A file in a zip file could not be unpacked: secrets in it are not seen.');
    const withSecret = entries.filter(
      ({ content, from, to }) =>
        content !== null &&
        !through(this.#content(), content).equals(content) &&
        all.subarray(from, to).equals(packed.subarray(from, to)),
    );
    for (const { from, to } of withSecret) all.fill(0, from, to);
    if (withSecret.length > 0) this.#remark('A file in a zip file held a secret: it is left out.');
    return all;
  }
}

/** Pads a gzip file with a file name; null if it is too long already. */
function padded(packed: Uint8Array, length: number): Uint8Array | null {
  const missing = length - packed.length;
  if (missing <= 0) return missing === 0 ? packed : null;
  const head = Buffer.from(packed.subarray(0, HEAD));
  head[FLAGS] = NAME_FLAG;
  return Buffer.concat([head, Buffer.alloc(missing - 1, 'x'), Buffer.alloc(1), packed.subarray(HEAD)]);
}
