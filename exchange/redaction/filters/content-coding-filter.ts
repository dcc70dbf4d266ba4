import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { HeaderPairs } from '../../exchange.ts';
import { Body } from '../../http/body.ts';
import { contentCodings, decodeContent } from '../../http/content.ts';
import { isEventStream } from '../../http/event-stream.ts';
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
