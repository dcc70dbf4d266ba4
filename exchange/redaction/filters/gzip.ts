import { gunzipSync, gzipSync } from 'node:zlib';
import type { ByteFilter } from './replacer.ts';

/** First bytes of a gzip file: its mark, and the only method there is. */
const MARK = [0x1f, 0x8b, 0x08];
const EMPTY = new Uint8Array(0);
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
