import { isUtf8 } from 'node:buffer';
import type { HeaderPairs } from '../exchange.ts';
import { BodyDigest } from '../http/body-digest.ts';
import { contentCodings } from '../http/content.ts';
import type { ByteFilter } from '../redaction/byte-filter.ts';
import { ContentCodingFilter } from '../redaction/compressed-body.ts';
import type { Tail } from '../redaction/pattern.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { Blobs, BlobWriter } from './blobs.ts';
import { inlineBody } from './body-encoding.ts';
import { MAX_INLINE_BINARY_BYTES, MAX_INLINE_BYTES, type Stored } from './lines.ts';
import { storedPart } from './stored-body.ts';

/**
 * A body on its way through its filter into storage. With `blobs`, a large one goes to a blob; others are held in
 * memory for their line. Beyond `maxBytes`, only the digest and the parts of a form are kept.
 */
export class RecordedBody {
  readonly codingFilter: ContentCodingFilter | null;
  readonly #blobs: Blobs | null;
  readonly #maxBytes: number;
  readonly #createDigest: () => BodyDigest;
  readonly #createSecondFilter: () => ByteFilter;
  #filter: ByteFilter;
  /** `complete`: all bytes have passed the filter. `written`: its line was written. */
  #state: 'open' | 'complete' | 'written' = 'open';
  #size = 0;
  #pieces: Uint8Array[] = [];
  #blob: BlobWriter | null = null;
  #digest: BodyDigest | null = null;

  constructor(options: {
    readonly headers: HeaderPairs;
    readonly redactor: Redactor;
    readonly createFilter: (source: Pick<Redactor, 'createBodyFilter'>) => ByteFilter;
    readonly blobs: Blobs | null;
    readonly maxBytes: number;
    readonly boundary: string | null;
  }) {
    const { headers, redactor, createFilter, boundary } = options;
    const isCoded = contentCodings(headers).length > 0;
    this.codingFilter = isCoded ? new ContentCodingFilter(headers, redactor) : null;
    this.#filter = this.codingFilter ?? createFilter(redactor);
    this.#createSecondFilter = () =>
      isCoded ? new ContentCodingFilter(headers, redactor.known) : createFilter(redactor.known);
    this.#blobs = options.blobs;
    this.#maxBytes = options.maxBytes;
    this.#createDigest = () => new BodyDigest(headers, boundary);
  }

  get size(): number {
    return this.#size;
  }

  /** Null without a cassette, and once its recording has ended: nothing may then be written. */
  get #openBlobs(): Blobs | null {
    return this.#blobs === null || this.#blobs.isClosed ? null : this.#blobs;
  }

  push(bytes: Uint8Array): void {
    this.#add(this.#filter.push(bytes));
  }

  end(): void {
    this.#add(this.#filter.finish());
    this.#state = 'complete';
  }

  /** Calls `write` with the stored form of the complete body, which `refilter` no longer changes. */
  store(write: (stored: Stored) => void): void {
    write(this.#stored());
    this.#state = 'written';
  }

  #stored(): Stored {
    if (this.#digest !== null) {
      const { sha256, parts } = this.#digest.finish();
      return { digest: sha256, ...(parts && { parts: parts.map(storedPart) }) };
    }
    if (this.#blob !== null) return { blob: this.#blob.finish() };
    const [only] = this.#pieces;
    const bytes = only !== undefined && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces);
    const blobs = this.#openBlobs;
    if (blobs === null || this.#size <= MAX_INLINE_BINARY_BYTES || isUtf8(bytes)) return inlineBody(bytes);
    return { blob: this.#beginBlob(blobs).finish() };
  }

  refilter(): void {
    if (this.#state === 'written' || this.#size === 0 || this.#blob?.isOpen === false) return;
    if (this.#state === 'complete') this.#rewrite(this.#createSecondFilter(), 'final');
    else if (this.codingFilter === null) {
      const held = this.#filter.finish();
      this.#filter = this.#createSecondFilter();
      this.#rewrite(this.#filter, 'open');
      this.#add(this.#filter.push(held));
    }
  }

  #rewrite(filter: ByteFilter, tail: Tail): void {
    if (this.#digest !== null) return;
    if (this.#blob !== null) {
      this.#blob.refilter(filter, tail);
      this.#size = this.#blob.size;
      return;
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#size = 0;
    for (const piece of pieces) this.#add(filter.push(piece));
    if (tail === 'final') this.#add(filter.finish());
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#size += bytes.length;
    if (this.#digest !== null) this.#digest.push(bytes);
    else if (this.#size > this.#maxBytes) this.#reduceToDigest(bytes);
    else if (this.#blob !== null) this.#blob.write(bytes);
    else {
      this.#pieces.push(bytes);
      const blobs = this.#openBlobs;
      if (this.#size > MAX_INLINE_BYTES && blobs !== null) this.#blob = this.#beginBlob(blobs);
    }
  }

  #beginBlob(blobs: Blobs): BlobWriter {
    const blob = blobs.begin();
    for (const piece of this.#pieces) blob.write(piece);
    this.#pieces = [];
    return blob;
  }

  #reduceToDigest(bytes: Uint8Array): void {
    this.#digest = this.#createDigest();
    for (const piece of this.#blob?.pieces() ?? this.#pieces) this.#digest.push(piece);
    this.#digest.push(bytes);
    this.#pieces = [];
    this.#blob?.drop();
    this.#blob = null;
  }
}
