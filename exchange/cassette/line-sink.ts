import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, renameSync, rmSync } from 'node:fs';
import { attemptWrite } from './cassette-error.ts';
import { createTemporary, writeAll } from './entries.ts';

const BUFFER_LENGTH = 256 * 1024;

export abstract class LineSink {
  readonly #hash = createHash('sha256');
  #waiting = '';
  #size = 0;

  /** Buffers a line: text without its line feed, or an object as JSON. Throws CassetteError if a write fails. */
  write(line: object | string): void {
    this.#waiting += typeof line === 'string' ? `${line}\n` : `${JSON.stringify(line)}\n`;
    if (this.#waiting.length >= BUFFER_LENGTH) this.flush();
  }

  /** Flushes, and returns the SHA-256 of everything so far, in hex; more lines may follow. */
  digest(): string {
    this.flush();
    return this.#hash.copy().digest('hex');
  }

  /** Returns the number of bytes so far. */
  flush(): number {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#hash.update(bytes);
    this.store(bytes, this.#size);
    this.#size += bytes.length;
    return this.#size;
  }

  protected abstract store(bytes: Buffer, offset: number): void;
  /** Flushes everything to the disk, if there is a file; no more lines may follow. */
  sync(): void {}
  /** Gives the file, if any, its final name. Throws CassetteError if a write fails. */
  install(): void {}
  /** Removes the file, if any, unless it is installed. */
  drop(): void {}
}

export class LineFile extends LineSink {
  readonly #file: string;
  /** Descriptor of the temporary file, which `install` only renames. */
  readonly fd: number;
  #isOpen = true;

  constructor(file: string) {
    super();
    this.#file = file;
    this.fd = attemptWrite(file, () => createTemporary(`${file}.tmp`));
  }

  protected store(bytes: Buffer, offset: number): void {
    attemptWrite(this.#file, () => writeAll(this.fd, bytes, offset));
  }

  override sync(): void {
    this.flush();
    attemptWrite(this.#file, () => fsyncSync(this.fd));
    this.#close();
  }

  override install(): void {
    attemptWrite(this.#file, () => renameSync(`${this.#file}.tmp`, this.#file));
  }

  override drop(): void {
    this.#close();
    rmSync(`${this.#file}.tmp`, { force: true });
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.fd);
    this.#isOpen = false;
  }
}

export class LinesInMemory extends LineSink {
  readonly #stored: Buffer[] = [];

  bytes(): Buffer {
    this.flush();
    return Buffer.concat(this.#stored);
  }

  protected store(bytes: Buffer): void {
    this.#stored.push(bytes);
  }
}
