import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, readSync, renameSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { createNewFile, entryKind, openRegular, writing } from './folder.ts';

/** Content that can be read at any place: an open file, or bytes in memory. */
export type LineSource = number | Uint8Array;

/** One line of a file, without its line feed. */
export interface FileLine {
  /** Without the line break. */
  readonly bytes: Buffer;
  /** Offset in the file. */
  readonly offset: number;
  /** False for a last line without a line feed. */
  readonly whole: boolean;
}

/** Bytes that are read at a time. */
const CHUNK = 256 * 1024;
const LF = 10;

/** The lines of a regular file, as `linesOf`. Throws as `openRegular`. */
export function* readFileLines(file: string): Generator<FileLine> {
  const fd = openRegular(file);
  try {
    yield* linesOf(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * The lines of a source, in bounded memory. The bytes of a line are valid until the next one is asked for.
 * `onChunk` sees all bytes of the source, in order, before the lines that end in them.
 */
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

/** Fills a buffer from its place `from` on with what a source holds at an offset; gives how many bytes there were. */
function readAt(source: LineSource, into: Uint8Array, from: number, offset: number): number {
  if (from === into.length) return 0;
  if (typeof source === 'number') return readSync(source, into, from, into.length - from, offset);
  const bytes = source.subarray(offset, offset + into.length - from);
  into.set(bytes, from);
  return bytes.length;
}

/** Reads bytes of a source from `offset` on: fewer where it ends. They are valid until the next call. */
export type ReadSpan = (source: LineSource, offset: number, length: number) => Buffer;

/** Largest span that is read into shared memory. Bytes. */
const SCRATCH = 64 * 1024;

/** For spans that are used up at once: all are read into the same place, so that no memory is asked for. */
export class ScratchReader {
  #bytes = Buffer.allocUnsafeSlow(SCRATCH);

  /** The bytes of a file from `offset` on, valid until the next call, unless `leave` is called before it. */
  readonly read: ReadSpan = (source, offset, length) => {
    if (length > SCRATCH) return readSpan(source, offset, length);
    return fill(this.#bytes.subarray(0, length), source, offset);
  };

  /** Leaves the last bytes to who has them. */
  leave(): void {
    this.#bytes = Buffer.allocUnsafeSlow(SCRATCH);
  }
}

/** Bytes that a buffered reader holds. */
const WINDOW = 256 * 1024;

/** For spans of one file that lie near each other, mostly one behind the other: reads many of them at once. */
export function bufferedSpanReader(): ReadSpan {
  const window = Buffer.alloc(WINDOW);
  let held: Buffer = window.subarray(0, 0);
  let from = 0;
  return (source, offset, length) => {
    if (offset < from || offset + length > from + held.length) {
      // Overlapping exchanges end out of order, so a quarter of the window before the span stays.
      from = Math.max(0, offset - WINDOW / 4);
      const wanted = offset - from + length;
      held = wanted > WINDOW ? readSpan(source, from, wanted) : fill(window, source, from);
    }
    return held.subarray(offset - from, offset - from + length);
  };
}

/** The bytes of a source from `offset` on, copied into new memory. */
export function readSpan(source: LineSource, offset: number, length: number): Buffer {
  return fill(Buffer.allocUnsafe(length), source, offset);
}

/** Reads into a buffer from its beginning on; gives what was filled. */
function fill(bytes: Buffer, source: LineSource, offset: number): Buffer {
  let done = 0;
  while (done < bytes.length) {
    const count = readAt(source, bytes, done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

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
