import { createHash, type Hash } from 'node:crypto';
import type { BlobStore, NewBlob } from '../write/blob-store.ts';
import type { LineSink } from '../write/line-file.ts';

/** Lines that are only read: those of `LineFile`, and never on the disk. */
export class LinesInMemory implements LineSink {
  readonly #hash: Hash = createHash('sha256');
  readonly #lines: Buffer[] = [];

  /** Adds a line. */
  write(line: object): void {
    this.copy(JSON.stringify(line));
  }

  /** Adds the text of a line. */
  copy(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    this.#hash.update(bytes);
    this.#lines.push(bytes);
  }

  /** SHA-256 of all lines, in hex. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /** All lines, as the file would hold them. */
  bytes(): Buffer {
    return Buffer.concat(this.#lines);
  }

  sync(): void {}

  install(): void {}

  drop(): void {
    this.#lines.length = 0;
  }
}

/** The bodies of another store, and in memory those that are made while they are read. */
export class BlobsInMemory implements BlobStore {
  readonly #below: BlobStore;
  readonly #made = new Map<string, Uint8Array>();

  constructor(below: BlobStore) {
    this.#below = below;
  }

  check(sha256: string, size: number): void {
    if (!this.#made.has(sha256)) this.#below.check(sha256, size);
  }

  read(sha256: string, size: number): Uint8Array {
    return this.#made.get(sha256) ?? this.#below.read(sha256, size);
  }

  pieces(sha256: string, size: number): Iterable<Uint8Array> {
    const made = this.#made.get(sha256);
    return made === undefined ? this.#below.pieces(sha256, size) : [made];
  }

  file(sha256: string): string | null {
    return this.#made.has(sha256) ? null : this.#below.file(sha256);
  }

  /** Begins a blob in memory. */
  begin(): NewBlob {
    const pieces: Uint8Array[] = [];
    return {
      write: (bytes) => pieces.push(new Uint8Array(bytes)),
      finishSync: () => {
        const bytes = Buffer.concat(pieces);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        this.#made.set(sha256, bytes);
        return sha256;
      },
    };
  }

  sweep(): void {}
}
