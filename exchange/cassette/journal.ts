import { closeSync, fsyncSync, ftruncateSync } from 'node:fs';
import { attemptWrite, type CassetteError, unwritableError } from './cassette-error.ts';
import { createNewFile, writeAll } from './entries.ts';
import { type FileLine, linesOf } from './line-reader.ts';
import { LineFile } from './line-sink.ts';
import type { JournalLine } from './lines.ts';

const MAX_DELAY_MS = 20;
/** In UTF-16 code units. */
const MAX_WAITING_LENGTH = 16 * 1024 * 1024;

/**
 * The file to which a recording in progress appends its lines. They wait in memory for a moment, or until `flush`;
 * lines that a completed `flush` covers survive the death of this process. After a failed write the lines still wait,
 * so that nothing is lost once the disk has room again. After `close`, nothing is written.
 */
export class Journal {
  readonly file: string;
  readonly #onFailure: (error: CassetteError) => void;
  #fd: number;
  #size = 0;
  #waiting = '';
  #isScheduled = false;
  #isClosed = false;
  #commit: Promise<null> | null = null;
  #failure: CassetteError | null = null;

  constructor(file: string, onFailure: (error: CassetteError) => void = () => {}) {
    this.file = file;
    this.#onFailure = onFailure;
    this.#fd = attemptWrite(file, () => createNewFile(file));
  }

  get failure(): CassetteError | null {
    return this.#failure;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Bytes in the file, up to its last complete line; lines that wait in memory do not count. */
  get size(): number {
    return this.#size;
  }

  /** Number of exchanges with lines that wait in memory. */
  get unwrittenCount(): number {
    return new Set(this.#waiting.match(/^\{"i":\d+/gm)).size;
  }

  /** Does not throw if a write fails: see `failure`. */
  append(line: JournalLine): void {
    if (this.#isClosed) return;
    this.#waiting += `${JSON.stringify(line)}\n`;
    if (this.#waiting.length > MAX_WAITING_LENGTH && this.#failure === null) this.#tryFlush();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      this.#tryFlush();
    }, MAX_DELAY_MS).unref();
  }

  #tryFlush(): void {
    try {
      this.flush();
    } catch {
      // `failure` keeps the error, and the next `flush` tries again.
    }
  }

  flush(): void {
    if (this.#isClosed || this.#waiting === '') return;
    const bytes = Buffer.from(this.#waiting);
    try {
      // Begins after the last complete line, wherever an earlier write stopped.
      writeAll(this.#fd, bytes, this.#size);
    } catch (error) {
      this.#fail(error);
    }
    this.#size += bytes.length;
    this.#waiting = '';
    this.#failure = null;
  }

  lines(): Generator<FileLine> {
    this.flush();
    return linesOf(this.#fd);
  }

  /**
   * A new file takes the place of the old one once it is complete. If a write fails, throws CassetteError and leaves
   * the file unchanged.
   */
  rewrite(lines: Iterable<string>): void {
    attemptWrite(this.file, () => {
      const next = new LineFile(this.file);
      try {
        for (const line of lines) next.write(line);
        const size = next.flush();
        next.install();
        closeSync(this.#fd);
        this.#fd = next.fd;
        this.#size = size;
      } catch (error) {
        next.drop();
        throw error;
      }
    });
  }

  truncate(size: number): void {
    attemptWrite(this.file, () => ftruncateSync(this.#fd, size));
    this.#size = size;
  }

  /** Flushes once for all callers in the same turn of the event loop. */
  commit(): Promise<null> {
    this.#commit ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#commit = null;
        try {
          this.flush();
          resolve(null);
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#commit;
  }

  close(): void {
    try {
      this.flush();
      attemptWrite(this.file, () => fsyncSync(this.#fd));
    } finally {
      this.#isClosed = true;
      closeSync(this.#fd);
    }
  }

  #fail(error: unknown): never {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      // The torn tail stays; recovery drops it.
    }
    const isFirst = this.#failure === null;
    this.#failure = unwritableError(this.file, error);
    if (isFirst) this.#onFailure(this.#failure);
    throw this.#failure;
  }
}
