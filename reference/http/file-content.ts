import { createHash } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

export class FileContent {
  readonly size: number;
  readonly #path: string;
  #bytes: Buffer | null;
  #isOnDisk: boolean;

  /** `bytes` is null if they are in the file `path`, which this object owns and deletes. */
  constructor(path: string, size: number, bytes: Buffer | null) {
    this.size = size;
    this.#path = path;
    this.#bytes = bytes;
    this.#isOnDisk = bytes === null;
  }

  /** 0 if the content is only on disk, or deleted. */
  get heldBytes(): number {
    return this.#bytes?.length ?? 0;
  }

  /** Rejects if the file has been deleted. */
  async bytes(): Promise<Buffer> {
    return this.#bytes ?? readFile(this.#path);
  }

  /** In hex. Rejects if the file has been deleted. */
  async digest(): Promise<string> {
    const hash = createHash('sha256');
    if (this.#bytes !== null) return hash.update(this.#bytes).digest('hex');
    for await (const chunk of createReadStream(this.#path)) hash.update(chunk);
    return hash.digest('hex');
  }

  /** The bytes in memory, or a stream of the file; null if the file has been deleted. */
  async read(): Promise<Buffer | Readable | null> {
    if (this.#bytes !== null) return this.#bytes;
    const handle = await open(this.#path).catch(() => null);
    return handle?.createReadStream() ?? null;
  }

  /** Returns the path of a file with the bytes, which is written on demand and exists until `discard`. */
  ensureFile(): string {
    if (!this.#isOnDisk && this.#bytes !== null) {
      // Small contents are written faster synchronously than through the thread pool.
      writeFileSync(this.#path, this.#bytes);
      this.#isOnDisk = true;
    }
    return this.#path;
  }

  spill(): void {
    this.ensureFile();
    this.#bytes = null;
  }

  /** Further calls do nothing. */
  async discard(): Promise<void> {
    this.#bytes = null;
    if (!this.#isOnDisk) return;
    this.#isOnDisk = false;
    await rm(this.#path, { force: true });
  }
}
