import { closeSync, fsyncSync, ftruncateSync, writeSync } from 'node:fs';
import type { Redactor } from '../../redaction/redactor.ts';
import type { CassetteError } from '../error.ts';
import type { JournalLine } from '../format/lines.ts';
import { type LineWithoutBody, writeLine } from '../format/write-line.ts';
import { linesOf } from '../read/file-lines.ts';
import { createNewFile, unwritable, writing } from '../write/entry.ts';
import { LineBuffer } from '../write/line-buffer.ts';

/** Longest time that lines wait without a flush. Milliseconds. */
const LATEST = 20;

/**
 * An append-only file of lines. Lines wait in memory for a moment, or until `flush`; what `flush`
 * has returned from survives the death of this process. A write that fails leaves the file at its last whole line
 * and its lines in waiting, so that a disk with room again loses nothing.
 */
export class Journal {
  /** Path of the journal. */
  readonly file: string;
  readonly #fd: number;
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

  /**
   * Takes secrets out of what is in the file, in their place: an alias is as long as what it stands for. `renamed`: digests of
   * blobs that take the place of others. Throws CassetteError when the disk refuses.
   */
  redact(redactor: Redactor, renamed: ReadonlyMap<string, string>): void {
    this.flush();
    writing(this.file, () => {
      for (const { bytes, offset } of linesOf(this.#fd)) {
        const redacted = this.#redacted(bytes, redactor, renamed);
        if (redacted !== bytes) writeSync(this.#fd, redacted, 0, redacted.length, offset);
      }
    });
  }

  /** A line with secrets replaced and blobs renamed. */
  #redacted(line: Buffer, redactor: Redactor, renamed: ReadonlyMap<string, string>): Uint8Array {
    let redacted = redactor.bytes(line);
    // A secret can end within an escape: that line stays, to be redacted when the cassette is finished.
    if (redacted !== line && !isJson(redacted)) redacted = line;
    for (const [before, after] of renamed) {
      const at = Buffer.from(redacted.buffer, redacted.byteOffset, redacted.length).indexOf(
        `"blob":"${before}"`,
      );
      if (at === -1) continue;
      redacted = Uint8Array.from(redacted);
      redacted.set(Buffer.from(after), at + '"blob":"'.length);
    }
    return redacted;
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

/** Whether bytes are a JSON text. */
function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    return true;
  } catch {
    return false;
  }
}
