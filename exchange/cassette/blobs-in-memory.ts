import { hash } from 'node:crypto';
import type { BlobStore, BlobWriter } from './blobs.ts';

/** A read-only store, plus new blobs in memory: redacted bodies, and streams too long for lines. */
export class BlobsInMemory implements BlobStore {
  readonly #underlying: BlobStore;
  readonly #inMemory = new Map<string, Uint8Array>();

  constructor(underlying: BlobStore) {
    this.#underlying = underlying;
  }

  read(sha256: string, size: number): Uint8Array {
    return this.#inMemory.get(sha256) ?? this.#underlying.read(sha256, size);
  }

  pieces(sha256: string, size: number): Iterable<Uint8Array> {
    const bytes = this.#inMemory.get(sha256);
    return bytes === undefined ? this.#underlying.pieces(sha256, size) : [bytes];
  }

  locate(sha256: string, size: number): string | null {
    return this.#inMemory.has(sha256) ? null : this.#underlying.locate(sha256, size);
  }

  begin(): Pick<BlobWriter, 'write' | 'finish'> {
    const pieces: Uint8Array[] = [];
    return {
      write: (bytes) => {
        pieces.push(new Uint8Array(bytes));
      },
      finish: () => {
        const bytes = Buffer.concat(pieces);
        const sha256 = hash('sha256', bytes);
        this.#inMemory.set(sha256, bytes);
        return sha256;
      },
    };
  }

  /** Does nothing: blobs in memory are not meant to outlive the process. */
  sync(): void {}

  /** Does nothing: the underlying store is read-only. */
  sweep(): void {}
}
