import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from '../http/body.ts';
import { contentCodings, decodeUpTo } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
import { type ByteFilter, bufferingFilter, filterWhole, PASS_THROUGH } from './byte-filter.ts';

/** Maximum size in bytes of compressed content that is decoded to find secrets. */
export const MAX_CODED_BYTES = 16 * 1024 * 1024;
export const MAX_DECODED_BYTES = 8 * MAX_CODED_BYTES;

interface ContentRedactor {
  createBodyFilter(headers?: HeaderPairs): ByteFilter;
  createStreamFilter(): ByteFilter;
}

export function createSentBodyFilter(headers: HeaderPairs, redactor: ContentRedactor): ByteFilter {
  return contentCodings(headers).length > 0
    ? new ContentCodingFilter(headers, redactor)
    : redactor.createBodyFilter(headers);
}

/**
 * Holds a body back until it ends. Content with a secret is redacted and encoded again; if it cannot be decoded, its
 * encoded bytes are redacted. A body of more than `MAX_CODED_BYTES` passes unchanged: a recorder keeps its digest.
 */
export class ContentCodingFilter implements ByteFilter {
  isChanged = false;
  /** Whether the content could not be decoded, so that only the encoded bytes were searched. */
  isUnread = false;
  readonly #headers: HeaderPairs;
  readonly #redactor: ContentRedactor;
  readonly #filter = bufferingFilter(
    MAX_CODED_BYTES,
    (coded) => this.#redact(coded),
    () => PASS_THROUGH,
  );

  constructor(headers: HeaderPairs, redactor: ContentRedactor) {
    this.#headers = headers;
    this.#redactor = redactor;
  }

  push(piece: Uint8Array): Uint8Array {
    return this.#filter.push(piece);
  }

  finish(): Uint8Array {
    return this.#filter.finish();
  }

  #redact(coded: Uint8Array): Uint8Array {
    if (coded.length === 0) return coded;
    const message = { headers: this.#headers, body: Body.from(coded) };
    const content = decodeUpTo(message, MAX_DECODED_BYTES)?.bytes ?? null;
    if (content === null) {
      this.isUnread = true;
      return filterWhole(this.#redactor.createBodyFilter(), coded);
    }
    const filter = isEventStream(message)
      ? this.#redactor.createStreamFilter()
      : this.#redactor.createBodyFilter(this.#headers);
    const redacted = filterWhole(filter, content);
    if (redacted.equals(content)) return coded;
    this.isChanged = true;
    return contentCodings(this.#headers).reduce<Uint8Array>(applyCoding, redacted);
  }
}

function applyCoding(bytes: Uint8Array, coding: string): Uint8Array {
  if (coding === 'br') return brotliCompressSync(bytes);
  return coding === 'deflate' ? deflateSync(bytes) : gzipSync(bytes);
}
