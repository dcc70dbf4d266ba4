import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { because, CassetteError } from './error.ts';

const BUFFERED = 256 * 1024;

/** A file of lines that appears under its name only when it is complete and safe on the disk. */
export class LineFile {
  readonly #file: string;
  readonly #fd: number;
  readonly #hash = createHash('sha256');
  #waiting: string[] = [];
  #size = 0;
  #isOpen = true;

  constructor(file: string) {
    this.#file = file;
    this.#fd = this.#attempt(() => openSync(`${file}.tmp`, 'w'));
  }

  write(line: object): void {
    this.#push(`${JSON.stringify(line)}\n`);
  }

  /** A line as it is. */
  copy(line: string): void {
    this.#push(`${line}\n`);
  }

  /** Digest of all that was written so far. */
  digest(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  /** Everything is on the disk, still under the temporary name. */
  sync(): void {
    this.#flush();
    this.#attempt(() => fsyncSync(this.#fd));
    this.#isOpen = false;
    closeSync(this.#fd);
  }

  install(): void {
    this.#attempt(() => renameSync(`${this.#file}.tmp`, this.#file));
  }

  drop(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
    rmSync(`${this.#file}.tmp`, { force: true });
  }

  #push(content: string): void {
    this.#waiting.push(content);
    this.#size += content.length;
    if (this.#size >= BUFFERED) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.concat(
      this.#waiting.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
    );
    this.#waiting = [];
    this.#size = 0;
    this.#hash.update(bytes);
    this.#attempt(() => {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done);
    });
  }

  #attempt<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw new CassetteError('unwritable', `${this.#file} cannot be written: ${because(error)}.`, error);
    }
  }
}
