import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, renameSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { createNewFile, entryKind, writing } from './entry.ts';

/** Characters that are collected before they are written. */
const BUFFERED = 256 * 1024;

/** Where the lines of a file of a cassette go. */
export interface LineSink {
  /** Adds a value as a line of JSON. */
  write(line: object): void;
  /** A line as it is. */
  copy(line: string): void;
  /** SHA-256 of all that was written so far, in hex. */
  digest(): string;
  /** Everything is safe, still under the temporary name. */
  sync(): void;
  /** Takes the place of the file. */
  install(): void;
  /** Nothing is to come of it. */
  drop(): void;
}

/** A file of lines that appears under its name only when it is complete and safe on the disk. */
export class LineFile implements LineSink {
  readonly #file: string;
  readonly #fd: number;
  readonly #hash = createHash('sha256');
  #waiting: string[] = [];
  #size = 0;
  #isOpen = true;

  constructor(file: string) {
    this.#file = file;
    const temporary = `${file}.tmp`;
    this.#fd = writing(file, () => {
      // A killed writer may have left one; anything but a regular file is not ours to remove.
      if (entryKind(temporary) === 'file') unlinkSync(temporary);
      return createNewFile(temporary);
    });
  }

  write(line: object): void {
    this.#push(`${JSON.stringify(line)}\n`);
  }

  /** Adds the text of a line as it is. */
  copy(line: string): void {
    this.#push(`${line}\n`);
  }

  /** SHA-256 of all lines, in hex. */
  digest(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  /** Waits until the lines are on the disk. */
  sync(): void {
    this.#flush();
    writing(this.#file, () => fsyncSync(this.#fd));
    this.#isOpen = false;
    closeSync(this.#fd);
  }

  /** Renames the temporary file to its final name. */
  install(): void {
    writing(this.#file, () => renameSync(`${this.#file}.tmp`, this.#file));
  }

  /** Removes the temporary file. */
  drop(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
    rmSync(`${this.#file}.tmp`, { force: true });
  }

  /** Collects text. */
  #push(content: string): void {
    this.#waiting.push(content);
    this.#size += content.length;
    if (this.#size >= BUFFERED) this.#flush();
  }

  /** Writes the collected text. */
  #flush(): void {
    const bytes = Buffer.concat(
      this.#waiting.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
    );
    this.#waiting = [];
    this.#size = 0;
    this.#hash.update(bytes);
    writing(this.#file, () => {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done);
    });
  }
}
