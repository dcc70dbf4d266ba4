import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { FormDataReader } from '../../http/form-data-reader.ts';
import type { ByteFilter } from '../../redaction/redactor.ts';
import { type Inline, MAX_INLINE_BINARY_BYTES, MAX_INLINE_BYTES, type Stored } from '../format/lines.ts';
import { storedPart } from '../journal/assemble-exchange.ts';
import type { BlobWriter } from '../write/blob-writer.ts';
import type { Blobs } from '../write/blobs.ts';

/** Where a body was stored: in its line, in a blob, or as a digest. */
export type BodyPlacement = { readonly bytes: Uint8Array } | Exclude<Stored, Inline>;

/** Takes the redacted bytes of a body as they come: the small stays in memory, the large goes to a blob, the larger is only digested. */
export class BodySink {
  readonly #blobs: Blobs | null;
  readonly #keep: number;
  #size = 0;
  #pieces: Uint8Array[] = [];
  #blob: BlobWriter | null = null;
  #hash: Hash | null = null;
  /** Present only for forms that outgrow their line. */
  #parts: FormDataReader | null = null;
  readonly #boundary: string | null;

  /**
   * Bodies of more than `keep` bytes are digested only; of a form, given its boundary, also the parts. Without `blobs`
   * all else stays in memory.
   */
  constructor(blobs: Blobs | null, keep: number, boundary: string | null = null) {
    this.#blobs = blobs;
    this.#keep = keep;
    this.#boundary = boundary;
  }

  /** Bytes of the body so far. */
  get size(): number {
    return this.#size;
  }

  /** Adds bytes; beyond the size of a line they go to a blob. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#size += bytes.length;
    this.#parts?.push(bytes);
    if (this.#hash !== null) this.#hash.update(bytes);
    else if (this.#size > this.#keep) this.#digestOnly(bytes);
    else if (this.#blob !== null) this.#blob.write(bytes);
    else {
      this.#pieces.push(bytes);
      if (this.#size > MAX_INLINE_BYTES) this.#spill();
    }
  }

  /**
   * Passes what is kept so far, and what the filter before held back, through a filter that knows more; further bytes are to
   * come through that one. Of what is only digested nothing is kept.
   */
  refilter(before: ByteFilter, filter: ByteFilter): void {
    const held = before.finish();
    if (this.#hash === null && this.#blob !== null) {
      this.#parts = this.#boundary === null ? null : new FormDataReader(this.#boundary);
      this.#blob.refilter(filter, 'open', (bytes) => this.#parts?.push(bytes));
      this.#size = this.#blob.size;
    } else if (this.#hash === null) {
      const pieces = this.#pieces;
      this.#pieces = [];
      this.#size = 0;
      for (const piece of pieces) this.push(filter.push(piece));
    }
    this.push(filter.push(held));
  }

  /** Passes a complete body through a filter, also while its blob is on the way to the disk. Its length may change. Of what is only digested nothing is kept. */
  rewrite(filter: ByteFilter): void {
    if (this.#hash !== null) return;
    if (this.#blob !== null) {
      this.#parts = this.#boundary === null ? null : new FormDataReader(this.#boundary);
      this.#blob.refilter(filter, 'final', (bytes) => this.#parts?.push(bytes));
      this.#size = this.#blob.size;
      return;
    }
    const bytes = Buffer.concat([filter.push(Buffer.concat(this.#pieces)), filter.finish()]);
    this.#pieces = [bytes];
    this.#size = bytes.length;
  }

  /** Returns the form in which the body is stored. Only a blob takes time. */
  finish(): BodyPlacement | Promise<BodyPlacement> {
    if (this.#hash !== null) {
      const parts = this.#parts?.finish()?.map(storedPart);
      return { digest: this.#hash.digest('hex'), ...(parts && { parts }) };
    }
    if (this.#blob !== null) return this.#blob.finish().then((blob) => ({ blob }));
    const [only] = this.#pieces;
    const bytes = only !== undefined && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces);
    if (this.#blobs === null || this.#size <= MAX_INLINE_BINARY_BYTES || isUtf8(bytes)) return { bytes };
    this.#spill();
    return this.finish();
  }

  /** Leaves nothing on the disk. */
  drop(): void {
    this.#blob?.drop();
    this.#blob = null;
  }

  /** Moves the bytes in memory to a new blob. */
  #spill(): void {
    if (this.#blobs === null) return;
    this.#blob = this.#blobs.begin();
    if (this.#boundary !== null) this.#parts = new FormDataReader(this.#boundary);
    for (const piece of this.#pieces) {
      this.#blob.write(piece);
      this.#parts?.push(piece);
    }
    this.#pieces = [];
  }

  /** Continues with a digest, after the limit for kept bodies. */
  #digestOnly(bytes: Uint8Array): void {
    this.#hash = this.#blob?.digestSoFar() ?? createHash('sha256');
    for (const piece of this.#pieces) this.#hash.update(piece);
    if (this.#parts === null && this.#boundary !== null) {
      this.#parts = new FormDataReader(this.#boundary);
      for (const piece of [...this.#pieces, bytes]) this.#parts.push(piece);
    }
    this.#hash.update(bytes);
    this.#pieces = [];
    this.drop();
  }
}
