import { closeSync, fsyncSync, ftruncateSync, renameSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import type { CassetteError } from '../error.ts';
import type { JournalLine } from '../format/lines.ts';
import { type LineWithoutBody, writeLine } from '../format/write-line.ts';
import { type FileLine, linesOf } from '../read/file-lines.ts';
import { createNewFile, entryKind, unwritable, writing } from '../write/entry.ts';
import { LineBuffer } from '../write/line-buffer.ts';

/** Longest time that lines wait without a flush. Milliseconds. */
const LATEST = 20;
/** So many bytes are collected when the file is written anew. */
const BUFFERED = 256 * 1024;
const LF = Buffer.from('\n');

/**
 * An append-only file of lines. Lines wait in memory for a moment, or until `flush`; what `flush`
 * has returned from survives the death of this process. A write that fails leaves the file at its last whole line
 * and its lines in waiting, so that a disk with room again loses nothing.
 */
export class Journal {
  /** Path of the journal. */
  readonly file: string;
  #fd: number;
  readonly #onFailure: (error: CassetteError) => void;
  #size = 0;
  readonly #lines = new LineBuffer();
  #scheduled = false;
  #closed = false;
  /** The commit that is under way; later ones share it. */
  #commit: Promise<null> | null = null;
  /** Error of the last write; null after one that succeeded. */
  #failure: CassetteError | null = null;

  /** `onFailure` gets the error when writes begin to fail, and again only after one has succeeded. */
  constructor(file: string, onFailure: (error: CassetteError) => void = () => {}) {
    this.file = file;
    this.#onFailure = onFailure;
    this.#fd = writing(file, () => createNewFile(file));
  }

  /** Why the last write failed, or null when all is well. */
  get failure(): CassetteError | null {
    return this.#failure;
  }

  /** Bytes in the file. */
  get size(): number {
    return this.#size;
  }

  /** `body` becomes the last member of the line: `text`, or `base64` where it is not text. */
  append(line: JournalLine | LineWithoutBody, body: Uint8Array | null = null): void {
    writeLine(this.#lines, line, body);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      try {
        if (!this.#closed) this.flush();
      } catch {
        // The failure is kept and thrown by the next call that needs the disk.
      }
    }, LATEST).unref();
  }

  /** Throws CassetteError when the disk refuses. */
  flush(): void {
    const bytes = this.#lines.waiting;
    if (bytes.length === 0) return;
    try {
      for (let done = 0; done < bytes.length; ) {
        // Where the whole lines end, not where a write that failed halfway had come to.
        done += writeSync(this.#fd, bytes, done, bytes.length - done, this.#size + done);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#size += bytes.length;
    this.#lines.clear();
    this.#failure = null;
  }

  /** The lines in the file. */
  lines(): Generator<FileLine> {
    this.flush();
    return linesOf(this.#fd);
  }

  /**
   * Writes other lines in place of all that are in the file: into a new file, which takes the place of the old one when it is
   * whole. Throws CassetteError when the disk refuses; the file is then as it was.
   */
  rewrite(lines: Iterable<Uint8Array>): void {
    const temporary = `${this.file}.tmp`;
    writing(temporary, () => {
      // A writer that was killed may have left one.
      if (entryKind(temporary) === 'file') unlinkSync(temporary);
      const fd = createNewFile(temporary);
      try {
        const size = writeLines(fd, lines);
        renameSync(temporary, this.file);
        closeSync(this.#fd);
        this.#fd = fd;
        this.#size = size;
      } catch (error) {
        closeSync(fd);
        rmSync(temporary, { force: true });
        throw error;
      }
    });
  }

  /** Removes the lines from an offset on. */
  truncate(size: number): void {
    writing(this.file, () => ftruncateSync(this.#fd, size));
    this.#size = size;
  }

  /** As `flush`, once for all who ask in the same turn of the event loop. */
  commit(): Promise<null> {
    this.#commit ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#commit = null;
        try {
          if (!this.#closed) this.flush();
          resolve(null);
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#commit;
  }

  /** Everything waiting is written, safe even from a loss of power, and the file closed. */
  close(): void {
    try {
      this.flush();
      fsyncSync(this.#fd);
    } finally {
      this.#closed = true;
      closeSync(this.#fd);
    }
  }

  /** Keeps and throws an error. The callback is called once until a write succeeds. */
  #fail(error: unknown): never {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      // Then the torn tail stays; recovery drops it.
    }
    const isFirst = this.#failure === null;
    this.#failure = unwritable(this.file, error);
    if (isFirst) this.#onFailure(this.#failure);
    throw this.#failure;
  }
}

/** Writes lines, many at a time; gives how many bytes that were. */
function writeLines(fd: number, lines: Iterable<Uint8Array>): number {
  const waiting = new LineBuffer();
  let size = 0;
  const write = () => {
    const bytes = waiting.waiting;
    for (let done = 0; done < bytes.length; )
      done += writeSync(fd, bytes, done, bytes.length - done, size + done);
    size += bytes.length;
    waiting.clear();
  };
  for (const line of lines) {
    waiting.put(line).put(LF);
    if (waiting.waiting.length >= BUFFERED) write();
  }
  write();
  return size;
}
