import { createHash } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** The bytes of one file: few of them in memory until somebody wants a file, many on the disk. */
export class FileContent {
  readonly size: number;
  readonly #path: string;
  #bytes: Buffer | null;
  #isOnDisk: boolean;

  /** `bytes` are null where they are in the file of this path, which is the content's own from now on. */
  constructor(path: string, size: number, bytes: Buffer | null) {
    this.size = size;
    this.#path = path;
    this.#bytes = bytes;
    this.#isOnDisk = bytes === null;
  }

  /** How many bytes it takes of the memory. */
  get held(): number {
    return this.#bytes?.length ?? 0;
  }

  async bytes(): Promise<Buffer> {
    return this.#bytes ?? readFile(this.#path);
  }

  /** SHA-256 in hex. */
  async digest(): Promise<string> {
    const hash = createHash('sha256');
    if (this.#bytes !== null) return hash.update(this.#bytes).digest('hex');
    for await (const chunk of createReadStream(this.#path)) hash.update(chunk);
    return hash.digest('hex');
  }

  /** What is in memory, or a stream of the file; null where that was removed meanwhile. */
  async read(): Promise<Buffer | Readable | null> {
    if (this.#bytes !== null) return this.#bytes;
    const handle = await open(this.#path).catch(() => null);
    return handle?.createReadStream() ?? null;
  }

  /** A file that holds it, until it is discarded. */
  file(): string {
    if (!this.#isOnDisk && this.#bytes !== null) {
      // So little is written sooner than a thread is asked to write it.
      writeFileSync(this.#path, this.#bytes);
      this.#isOnDisk = true;
    }
    return this.#path;
  }

  /** Leaves the memory for the disk. */
  spill(): void {
    this.file();
    this.#bytes = null;
  }

  /** It is there no more. */
  async discard(): Promise<void> {
    this.#bytes = null;
    if (!this.#isOnDisk) return;
    this.#isOnDisk = false;
    await rm(this.#path, { force: true });
  }
}
