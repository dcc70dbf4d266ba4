import { hash } from 'node:crypto';
import type { BlobStore, BlobWriter } from './blobs.ts';

/** A read-only store, plus new blobs in memory: redacted bodies, and streams too long for lines. */
export class BlobsInMemory implements BlobStore {
  readonly #below: BlobStore;
  readonly #inMemory = new Map<string, Uint8Array>();

  constructor(below: BlobStore) {
    this.#below = below;
  }

  read(sha256: string, size: number): Uint8Array {
    return this.#inMemory.get(sha256) ?? this.#below.read(sha256, size);
  }

  pieces(sha256: string, size: number): Iterable<Uint8Array> {
    const bytes = this.#inMemory.get(sha256);
    return bytes === undefined ? this.#below.pieces(sha256, size) : [bytes];
  }

  locate(sha256: string, size: number): string | null {
    return this.#inMemory.has(sha256) ? null : this.#below.locate(sha256, size);
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

  /** Does nothing: the store below is read-only. */
  sweep(): void {}
}
