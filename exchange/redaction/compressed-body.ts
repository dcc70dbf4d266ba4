import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { contentCodings, decodeContent } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
import type { ByteFilter } from './replacer.ts';

/** Compressed bodies up to this size are looked into; larger ones are not kept. */
export const MAX_DECODED_BODY_BYTES = 16 * 1024 * 1024;
/** Largest decoded content that is searched. Bytes. */
const DECODED_LIMIT = 8 * MAX_DECODED_BODY_BYTES;
const EMPTY = new Uint8Array(0);

/** Source of filters for the decoded content of a body. */
export interface ContentRedactor {
  /** A filter for any content; `headers`: those of the message, for its media type. */
  stream(headers?: HeaderPairs): ByteFilter;
  /** A filter for the content of an event stream. */
  eventStream(): ByteFilter;
}

/**
 * Redacts a body with a content coding. Nothing comes out before the end; then the very bytes that went in, unless their
 * content holds a secret: then that content without it, coded anew. More than the limit passes as it is, to be digested.
 */
export class ContentCodingFilter implements ByteFilter {
  readonly #headers: HeaderPairs;
  readonly #redactor: ContentRedactor;
  #pieces: Uint8Array[] = [];
  /** Bytes taken in so far. */
  #size = 0;
  /** Whether the bytes that came out differ from those that went in. */
  changed = false;
  /** Whether the content could not be read, so that only the coded bytes were searched. */
  unread = false;

  constructor(headers: HeaderPairs, redactor: ContentRedactor) {
    this.#headers = headers;
    this.#redactor = redactor;
  }

  /** Holds the bytes back; beyond the limit returns them unchanged. */
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

  /** The body, redacted. A changed body is encoded anew, so that its length may differ. */
  finish(): Uint8Array {
    const coded = Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (coded.length === 0) return coded;
    const content =
      decodeContent({ headers: this.#headers, body: Body.of(coded) }, DECODED_LIMIT)?.bytes ?? null;
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

/** Passes complete content through a filter. */
function through(filter: ByteFilter, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([filter.push(bytes), filter.finish()]);
}

/** Encodes content in one coding; `gzip` for all codings but brotli and deflate. */
function encode(bytes: Uint8Array, coding: string): Uint8Array {
  if (coding === 'br') return brotliCompressSync(bytes);
  return coding === 'deflate' ? deflateSync(bytes) : gzipSync(bytes);
}

/** First bytes of a gzip file: its mark, and the only method there is. */
const MARK = [0x1f, 0x8b, 0x08];
/** Bytes of the head of a gzip file, of the name that may follow it, and of the end of that name. */
const HEAD = 10;
const NAME_FLAG = 0x08;
const FLAGS = 3;

/** Whether bytes begin as a gzip file does (RFC 1952, section 2.3.1). */
export function isGzip(bytes: Uint8Array): boolean {
  return MARK.every((byte, i) => bytes[i] === byte);
}

/** The content of a gzip file; null where it is damaged, or larger than `most` bytes. */
export function gunzipped(bytes: Uint8Array, most: number): Uint8Array | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: most });
  } catch {
    return null;
  }
}

/** Largest gzip file, and largest content, that is searched. Bytes. */
export interface GzipLimits {
  readonly packed: number;
  readonly unpacked: number;
}

/**
 * Redacts a body that turns out to be a gzip file without a header that says so. Such a body is held back until it is whole,
 * and comes out at its length: repacked and padded, or packed without content where no packing of it is so short.
 */
export class GzipFilter implements ByteFilter {
  readonly #open: () => ByteFilter;
  readonly #limits: GzipLimits;
  readonly #remark: (message: string) => void;
  #held: Uint8Array[] = [];
  /** Bytes taken in so far. */
  #size = 0;
  #through: ByteFilter | null = null;

  /** `open` gives a filter for the content, or for a body that is not a gzip file. */
  constructor(open: () => ByteFilter, limits: GzipLimits, remark: (message: string) => void) {
    this.#open = open;
    this.#limits = limits;
    this.#remark = remark;
  }

  /** Holds a gzip file back; other bytes pass through the filter. */
  push(piece: Uint8Array): Uint8Array {
    if (this.#through !== null) return this.#through.push(piece);
    if (piece.length === 0) return EMPTY;
    // Nearly every body shows in its first byte what it is.
    if (this.#size === 0 && piece[0] !== MARK[0]) return this.#pass(piece);
    this.#held.push(piece);
    this.#size += piece.length;
    if (this.#size < MARK.length) return EMPTY;
    const all = Buffer.concat(this.#held);
    if (!isGzip(all)) return this.#pass(all);
    if (this.#size <= this.#limits.packed) return EMPTY;
    this.#remark('A gzip file was too large to be unpacked: secrets in it are not seen.');
    return this.#pass(all);
  }

  /** The rest of the body; a gzip file comes out redacted, at its length. */
  finish(): Uint8Array {
    if (this.#through !== null) return this.#through.finish();
    const packed = Buffer.concat(this.#held);
    const content = isGzip(packed) ? gunzipped(packed, this.#limits.unpacked) : null;
    const filter = this.#open();
    if (content === null) return Buffer.concat([filter.push(packed), filter.finish()]);
    const redacted = Buffer.concat([filter.push(content), filter.finish()]);
    return redacted.equals(content) ? packed : this.#repacked(redacted, packed.length);
  }

  /** Treats the body as one that is not a gzip file, or is too large. */
  #pass(bytes: Uint8Array): Uint8Array {
    this.#held = [];
    this.#through = this.#open();
    return this.#through.push(bytes);
  }

  /** Compresses content to a given length in bytes. */
  #repacked(content: Uint8Array, length: number): Uint8Array {
    const packed = padded(gzipSync(content, { level: 9 }), length);
    if (packed !== null) return packed;
    this.#remark(
      'A gzip file held a secret and could not be packed anew at its length: its content is left out.',
    );
    return padded(gzipSync(EMPTY), length) ?? new Uint8Array(length);
  }
}

/** A gzip file made longer by a file name; null where it is too long already. */
function padded(packed: Uint8Array, length: number): Uint8Array | null {
  const missing = length - packed.length;
  if (missing <= 0) return missing === 0 ? packed : null;
  const head = Buffer.from(packed.subarray(0, HEAD));
  head[FLAGS] = NAME_FLAG;
  return Buffer.concat([head, Buffer.alloc(missing - 1, 'x'), Buffer.alloc(1), packed.subarray(HEAD)]);
}
