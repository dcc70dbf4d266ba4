import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { contentCodings, decodeContent } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
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

function through(filter: ByteFilter, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([filter.push(bytes), filter.finish()]);
}

function encode(bytes: Uint8Array, coding: string): Uint8Array {
  if (coding === 'br') return brotliCompressSync(bytes);
  return coding === 'deflate' ? deflateSync(bytes) : gzipSync(bytes);
}

/** First bytes of a gzip file: magic number and the only compression method. */
const MARK = [0x1f, 0x8b, 0x08];
/** Layout of the gzip header (RFC 1952): its length, and the flag for a file name. */
const HEAD = 10;
const NAME_FLAG = 0x08;
const FLAGS = 3;

export function isGzip(bytes: Uint8Array): boolean {
  return MARK.every((byte, i) => bytes[i] === byte);
}

/** Null if the file is damaged or unpacks to more than `most` bytes. */
export function gunzipped(bytes: Uint8Array, most: number): Uint8Array | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: most });
  } catch {
    return null;
  }
}

/** Larger gzip files, and larger content, are not searched. Bytes. */
interface GzipLimits {
  readonly packed: number;
  readonly unpacked: number;
}

/**
 * Redacts a gzip file that no header declares. It is held back until it is complete and keeps its length: packed
 * again and padded, or emptied if it no longer fits.
 */
export class GzipFilter implements ByteFilter {
  readonly #open: () => ByteFilter;
  readonly #limits: GzipLimits;
  readonly #remark: (message: string) => void;
  #held: Uint8Array[] = [];
  #size = 0;
  #through: ByteFilter | null = null;

  /** `open` makes the filter for the content, or for a body that is not a gzip file. */
  constructor(open: () => ByteFilter, limits: GzipLimits, remark: (message: string) => void) {
    this.#open = open;
    this.#limits = limits;
    this.#remark = remark;
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.#through !== null) return this.#through.push(piece);
    if (piece.length === 0) return EMPTY;
    // The first byte rules out nearly every body.
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

  finish(): Uint8Array {
    if (this.#through !== null) return this.#through.finish();
    const packed = Buffer.concat(this.#held);
    const content = isGzip(packed) ? gunzipped(packed, this.#limits.unpacked) : null;
    const filter = this.#open();
    if (content === null) return Buffer.concat([filter.push(packed), filter.finish()]);
    const redacted = Buffer.concat([filter.push(content), filter.finish()]);
    return redacted.equals(content) ? packed : this.#repacked(redacted, packed.length);
  }

  /** Passes a body through that is not a gzip file, or too large. */
  #pass(bytes: Uint8Array): Uint8Array {
    this.#held = [];
    this.#through = this.#open();
    return this.#through.push(bytes);
  }

  #repacked(content: Uint8Array, length: number): Uint8Array {
    const packed = padded(gzipSync(content, { level: 9 }), length);
    if (packed !== null) return packed;
    this.#remark(
      'A gzip file held a secret and could not be packed anew at its length: its content is left out.',
    );
    return padded(gzipSync(EMPTY), length) ?? new Uint8Array(length);
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
