import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, readSync, renameSync, rmSync } from 'node:fs';
import { isTooDeep, MAX_LEVELS } from '../http/json-text.ts';
import { createTemporary, openRegular, writeAll, writing } from './folder.ts';

/** Content with random access: an open file, or bytes in memory. */
export type LineSource = number | Uint8Array;

export interface FileLine {
  /** Without the line break; valid until the next line is read. */
  readonly bytes: Buffer;
  /** Byte offset in the source at which the line begins. */
  readonly offset: number;
  /** False for a last line without a line feed. */
  readonly whole: boolean;
}

const CHUNK_BYTES = 256 * 1024;
const LF = 10;

/** The lines of a file. Throws like `openRegular`. */
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
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
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

/** The value of a line; undefined if it is not JSON, or nested too deeply. */
export function parseOrUndefined(bytes: Buffer): unknown {
  try {
    const text = bytes.toString();
    return isTooDeep(text, MAX_LEVELS) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Number, from 1, of the line that begins at an offset. */
export function lineNumber(source: LineSource, offset: number): number {
  let n = 0;
  for (const line of linesOf(source)) {
    if (line.offset > offset) break;
    n += 1;
  }
  return n;
}

/** Fills a buffer from index `from` on; returns the number of bytes read. */
function readAt(source: LineSource, into: Uint8Array, from: number, offset: number): number {
  if (from === into.length) return 0;
  if (typeof source === 'number') return readSync(source, into, from, into.length - from, offset);
  const bytes = source.subarray(offset, offset + into.length - from);
  into.set(bytes, from);
  return bytes.length;
}

/** Reads bytes from `offset` on, fewer at the end of the source. They are valid until the next call. */
export type ReadSpan = (source: LineSource, offset: number, length: number) => Buffer;

/** Size in bytes above which a span gets its own buffer. */
const SCRATCH_BYTES = 64 * 1024;

/** Reads all spans into one buffer, for callers that are done with one before they read the next. */
export class ScratchReader {
  #bytes = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  /** Valid until the next call, unless `leave` comes first. */
  readonly read: ReadSpan = (source, offset, length) => {
    if (length > SCRATCH_BYTES) return readSpan(source, offset, length);
    return fill(this.#bytes.subarray(0, length), source, offset);
  };

  /** Leaves the buffer of the last span to the caller; later reads use a new one. */
  leave(): void {
    this.#bytes = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  }
}

const WINDOW_BYTES = 256 * 1024;

/** Returns a reader that reads ahead, for spans of one file that are close together and mostly in order. */
export function bufferedSpanReader(): ReadSpan {
  const window = Buffer.alloc(WINDOW_BYTES);
  let held: Buffer = window.subarray(0, 0);
  let from = 0;
  return (source, offset, length) => {
    if (offset < from || offset + length > from + held.length) {
      // Overlapping exchanges end out of order, so a quarter of the window before the span is kept.
      from = Math.max(0, offset - WINDOW_BYTES / 4);
      const wanted = offset - from + length;
      held = wanted > WINDOW_BYTES ? readSpan(source, from, wanted) : fill(window, source, from);
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

  /** Stores the waiting lines; returns the number of bytes so far. */
  flush(): number {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#hash.update(bytes);
    this.store(bytes, this.#size);
    this.#size += bytes.length;
    return this.#size;
  }

  protected abstract store(bytes: Buffer, offset: number): void;
  /** Flushes everything, to the disk if there is a file; no more lines may follow. */
  abstract sync(): void;
  /** Gives the file its final name. Throws CassetteError if a write fails. */
  abstract install(): void;
  /** Discards everything that is not installed. */
  abstract drop(): void;
}

/** A file of lines that gets its name only when it is complete. */
export class LineFile extends LineSink {
  readonly #file: string;
  /** Descriptor of the temporary file, which `install` only renames. */
  readonly fd: number;
  #isOpen = true;

  /** Throws CassetteError if the temporary file `….tmp` cannot be created. */
  constructor(file: string) {
    super();
    this.#file = file;
    this.fd = writing(file, () => createTemporary(`${file}.tmp`));
  }

  protected store(bytes: Buffer, offset: number): void {
    writing(this.#file, () => writeAll(this.fd, bytes, offset));
  }

  /** Flushes, syncs and closes the file. */
  sync(): void {
    this.flush();
    writing(this.#file, () => fsyncSync(this.fd));
    this.#close();
  }

  /** Renames `….tmp` to the final name. */
  install(): void {
    writing(this.#file, () => renameSync(`${this.#file}.tmp`, this.#file));
  }

  /** Closes and removes `….tmp`; an installed file stays. */
  drop(): void {
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

  /** All lines so far, as a copy. */
  bytes(): Buffer {
    this.flush();
    return Buffer.concat(this.#stored);
  }

  protected store(bytes: Buffer): void {
    this.#stored.push(bytes);
  }

  /** Does nothing: there is no file. */
  sync(): void {}

  /** Does nothing: there is no file. */
  install(): void {}

  /** Does nothing: nothing else refers to the lines. */
  drop(): void {}
}
