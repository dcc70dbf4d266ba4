import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { because, CassetteError } from './error.ts';

/**
 * An append-only file of lines. Lines wait in memory until the event loop turns, or until `flush`; what `flush`
 * has returned from survives the death of this process. A write that fails leaves the file at its last whole line
 * and its lines in waiting, so that a disk with room again loses nothing.
 */
export class Journal {
  readonly file: string;
  readonly #fd: number;
  #size = 0;
  #waiting: string[] = [];
  #scheduled = false;
  #failure: CassetteError | null = null;

  constructor(file: string) {
    this.file = file;
    try {
      this.#fd = openSync(file, 'wx');
    } catch (error) {
      throw new CassetteError('unwritable', `${file} cannot be written: ${because(error)}.`, error);
    }
  }

  /** Why the last write failed, or null when all is well. */
  get failure(): CassetteError | null {
    return this.#failure;
  }

  append(line: object): void {
    this.#waiting.push(`${JSON.stringify(line)}\n`);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      try {
        this.flush();
      } catch {
        // The failure is kept; the next one who needs the disk is told.
      }
    });
  }

  /** Throws CassetteError when the disk refuses. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.from(this.#waiting.join(''));
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done);
    } catch (error) {
      this.#fail(error);
    }
    this.#size += bytes.length;
    this.#waiting = [];
    this.#failure = null;
  }

  /** Everything waiting is written, safe even from a loss of power, and the file closed. */
  close(): void {
    try {
      this.flush();
      fsyncSync(this.#fd);
    } finally {
      closeSync(this.#fd);
    }
  }

  #fail(error: unknown): never {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      // Then the torn tail stays; recovery drops it.
    }
    this.#failure = new CassetteError(
      'unwritable',
      `${this.file} cannot be written: ${because(error)}.`,
      error,
    );
    throw this.#failure;
  }
}
