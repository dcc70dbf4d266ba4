import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsyncSync, readSync, renameSync, rmSync } from 'node:fs';
import { createTemporary, openRegular, writeAll, writing } from './folder.ts';

/** Content with random access: an open file, or bytes in memory. */
export type LineSource = number | Uint8Array;

export interface FileLine {
  /** Without the line break; valid until the next line is read. */
  readonly bytes: Buffer;
  /** Byte offset of its first byte in the source. */
  readonly offset: number;
  /** False for a last line without a line feed. */
  readonly whole: boolean;
}

const CHUNK = 256 * 1024;
const LF = 10;

/** Throws as `openRegular` does. */
export function* readFileLines(file: string): Generator<FileLine> {
  const fd = openRegular(file);
  try {
    yield* linesOf(fd);
  } finally {
    closeSync(fd);
  }
}

/** The lines of a source in bounded memory. `onChunk` sees all bytes in order, before the lines that end in them. */
export function* linesOf(source: LineSource, onChunk?: (bytes: Buffer) => void): Generator<FileLine> {
  let buffer = Buffer.allocUnsafe(CHUNK);
  let held = 0;
  let offset = 0;
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const count = readAt(source, buffer, held, offset + held);
    if (count === 0) break;
    const bytes = buffer.subarray(0, held + count);
    onChunk?.(bytes.subarray(held));
    let from = 0;
    for (let at = bytes.indexOf(LF, held); at !== -1; at = bytes.indexOf(LF, from)) {
      yield { bytes: bytes.subarray(from, at), offset: offset + from, whole: true };
      from = at + 1;
    }
    bytes.copyWithin(0, from);
    offset += from;
    held = bytes.length - from;
  }
  if (held > 0) yield { bytes: buffer.subarray(0, held), offset, whole: false };
}

/** Reads into a buffer from `from` on; returns the number of bytes read. */
function readAt(source: LineSource, into: Uint8Array, from: number, offset: number): number {
  if (from === into.length) return 0;
  if (typeof source === 'number') return readSync(source, into, from, into.length - from, offset);
  const bytes = source.subarray(offset, offset + into.length - from);
  into.set(bytes, from);
  return bytes.length;
}

/** Reads bytes from `offset` on, fewer at the end of the source. They are valid until the next call. */
export type ReadSpan = (source: LineSource, offset: number, length: number) => Buffer;

/** Larger spans get memory of their own. Bytes. */
const SCRATCH = 64 * 1024;

/** Reads all spans into the same memory, for callers that are done with one before they read the next. */
export class ScratchReader {
  #bytes = Buffer.allocUnsafeSlow(SCRATCH);

  /** Valid until the next call, unless `leave` comes first. */
  readonly read: ReadSpan = (source, offset, length) => {
    if (length > SCRATCH) return readSpan(source, offset, length);
    return fill(this.#bytes.subarray(0, length), source, offset);
  };

  /** Leaves the memory of the last span to its reader. */
  leave(): void {
    this.#bytes = Buffer.allocUnsafeSlow(SCRATCH);
  }
}

const WINDOW = 256 * 1024;

/** Reads ahead, for spans of one file that are close together and mostly in order. */
export function bufferedSpanReader(): ReadSpan {
  const window = Buffer.alloc(WINDOW);
  let held: Buffer = window.subarray(0, 0);
  let from = 0;
  return (source, offset, length) => {
    if (offset < from || offset + length > from + held.length) {
      // Overlapping exchanges end out of order, so a quarter of the window before the span is kept.
      from = Math.max(0, offset - WINDOW / 4);
      const wanted = offset - from + length;
      held = wanted > WINDOW ? readSpan(source, from, wanted) : fill(window, source, from);
    }
    return held.subarray(offset - from, offset - from + length);
  };
}

export function readSpan(source: LineSource, offset: number, length: number): Buffer {
  return fill(Buffer.allocUnsafe(length), source, offset);
}

function fill(bytes: Buffer, source: LineSource, offset: number): Buffer {
  let done = 0;
  while (done < bytes.length) {
    const count = readAt(source, bytes, done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

const BUFFERED = 256 * 1024;

/** Destination of the lines of one file of a cassette. */
export interface LineSink {
  /** Adds an object as one line of JSON. */
  write(line: object): void;
  /** Adds the text of a line. */
  copy(line: string): void;
  /** SHA-256 of everything written so far, in hex. */
  digest(): string;
  /** Syncs everything to the disk, still under the temporary name. */
  sync(): void;
  /** Renames the file to its final name. */
  install(): void;
  /** Removes the file. */
  drop(): void;
}

/** A file of lines that gets its name only when it is complete and synced to the disk. */
export class LineFile implements LineSink {
  readonly #file: string;
  readonly #fd: number;
  readonly #hash = createHash('sha256');
  #waiting = '';
  #written = 0;
  #isOpen = true;

  constructor(file: string) {
    this.#file = file;
    this.#fd = writing(file, () => createTemporary(`${file}.tmp`));
  }

  /** Adds an object as one line of JSON, buffered. Throws CassetteError if a write fails. */
  write(line: object): void {
    this.#push(`${JSON.stringify(line)}\n`);
  }

  /** Adds the text of a line, to which it appends the line feed. Throws CassetteError if a write fails. */
  copy(line: string): void {
    this.#push(`${line}\n`);
  }

  /** Flushes, and returns the SHA-256 of everything so far, in hex; more lines may follow. */
  digest(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  /** Writes everything to the disk and closes the file; no more lines may follow. */
  sync(): void {
    this.#flush();
    writing(this.#file, () => fsyncSync(this.#fd));
    this.#isOpen = false;
    closeSync(this.#fd);
  }

  /** Renames `….tmp` to the final name, after `sync`. Throws CassetteError if a write fails. */
  install(): void {
    writing(this.#file, () => renameSync(`${this.#file}.tmp`, this.#file));
  }

  /** Closes and removes `….tmp`; an installed file stays. */
  drop(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
    rmSync(`${this.#file}.tmp`, { force: true });
  }

  #push(content: string): void {
    this.#waiting += content;
    if (this.#waiting.length >= BUFFERED) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#hash.update(bytes);
    writing(this.#file, () => writeAll(this.#fd, bytes, this.#written));
    this.#written += bytes.length;
  }
}

/** The lines of a cassette that is assembled only in memory. */
export class LinesInMemory implements LineSink {
  readonly #hash: Hash = createHash('sha256');
  readonly #lines: Buffer[] = [];

  /** Adds an object as one line of JSON. */
  write(line: object): void {
    this.copy(JSON.stringify(line));
  }

  /** Adds the text of a line, to which it appends the line feed. */
  copy(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    this.#hash.update(bytes);
    this.#lines.push(bytes);
  }

  /** SHA-256 of everything so far, in hex. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /** All lines so far, as a copy. */
  bytes(): Buffer {
    return Buffer.concat(this.#lines);
  }

  /** Does nothing: there is no file. */
  sync(): void {}

  /** Does nothing: there is no file. */
  install(): void {}

  /** Discards all lines. */
  drop(): void {
    this.#lines.length = 0;
  }
}
