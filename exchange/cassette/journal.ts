import { closeSync, fsyncSync, ftruncateSync } from 'node:fs';
import {
  attemptWrite,
  CassetteError,
  createNewFile,
  openRegular,
  unwritableError,
  writeAll,
} from './folder.ts';
import { type FileLine, lineNumber, linesOf, tryParseLine } from './line-reader.ts';
import { eventOf, journalHeaderOf, journalNoteOf } from './line-shape.ts';
import { LineFile } from './line-sink.ts';
import type { JournalEvent, JournalHeader, JournalLine, JournalNote } from './lines.ts';
import { bufferedSpanReader } from './span-reader.ts';

/** Maximum time that lines wait before they are written. */
const MAX_DELAY_MS = 20;
/** Maximum length in characters of the waiting lines; longer ones are written immediately. */
const MAX_WAITING_LENGTH = 16 * 1024 * 1024;

/**
 * The append-only file of a recording. Lines wait in memory for a moment, or until `flush`; lines that a completed
 * `flush` covers survive the death of this process. A failed write leaves the file at its last complete line and keeps
 * the waiting lines, so that nothing is lost once the disk has room again.
 */
export class Journal {
  /** Path of the journal; `rewrite` uses the same path with `.tmp`. */
  readonly file: string;
  readonly #onFailure: (error: CassetteError) => void;
  #fd: number;
  #size = 0;
  #waiting = '';
  #isScheduled = false;
  #isClosed = false;
  /** The commit in flight, shared by all callers in the same turn. */
  #commit: Promise<null> | null = null;
  #failure: CassetteError | null = null;

  /** `onFailure` receives the first error of each series of failed writes. */
  constructor(file: string, onFailure: (error: CassetteError) => void = () => {}) {
    this.file = file;
    this.#onFailure = onFailure;
    this.#fd = attemptWrite(file, () => createNewFile(file));
  }

  /** Error of the last write; null unless it failed. */
  get failure(): CassetteError | null {
    return this.#failure;
  }

  /** Bytes in the file, up to its last complete line; lines that wait in memory do not count. */
  get size(): number {
    return this.#size;
  }

  /** How many exchanges have lines that are not in the file. */
  get unwrittenCount(): number {
    return new Set(this.#waiting.match(/^\{"i":\d+/gm)).size;
  }

  /** Adds a line, which is written within 20 ms or by `flush`. Does not throw if a write fails: see `failure`. */
  append(line: JournalLine): void {
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
      if (!this.#isClosed) this.flush();
    } catch {
      // `failure` keeps the error; the next call that needs the disk throws it.
    }
  }

  /** Throws CassetteError if a write fails. */
  flush(): void {
    if (this.#waiting === '') return;
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

  /** Flushes, then reads all lines of the file. Throws CassetteError if a write fails. */
  lines(): Generator<FileLine> {
    this.flush();
    return linesOf(this.#fd);
  }

  /**
   * Replaces all lines. A new file takes the place of the old one once it is complete. Throws CassetteError if a write
   * fails; the file is then unchanged.
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

  /** Cuts the file to `size` bytes; lines that wait in memory stay. Throws CassetteError if a write fails. */
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
          if (!this.#isClosed) this.flush();
          resolve(null);
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#commit;
  }

  /** Writes and syncs all waiting lines, so that they survive a power failure, and closes the file. */
  close(): void {
    try {
      this.flush();
      fsyncSync(this.#fd);
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

/** The content of a journal in the order of its cassette: exchanges by start, with the notes between them. */
export type JournalItem =
  | { readonly header: JournalHeader }
  | { readonly note: JournalNote }
  /** `ended`: position among all ends; exchanges without an end in the journal come last. */
  | { readonly events: Iterable<JournalEvent>; readonly ended: number };

interface PendingItem {
  /** Number of the exchange; 0 for a note. */
  readonly i: number;
  /** Alternating offsets and lengths, flat because a long stream has millions of lines. */
  readonly spans: number[];
  /** Position of its end among all ends, 0 for a note; null until it ends. */
  ended: number | null;
}

/** Beginning of an event line: number of the exchange, kind of the event. */
const EVENT_LINE = /^\{"i":(\d+),"e":"([a-z-]+)"/;
const NOTE_START = '{"e":"note"';
const SECRET_START = '{"e":"secret"';

/** Whether a line contains the digest of a secret; such a line belongs to no exchange, and not to the cassette. */
export function beginsAsSecret(line: Buffer): boolean {
  return line.toString('latin1', 0, SECRET_START.length) === SECRET_START;
}

/** Reads a journal. A torn last line is skipped; throws CassetteError for a damaged line before it. */
export function* readJournal(file: string): Generator<JournalItem> {
  const fd = openRegular(file);
  try {
    yield* new JournalReader(file, fd).items();
  } finally {
    closeSync(fd);
  }
}

/** Puts exchanges and notes in the order in which they began: each waits until all before it have ended. */
class JournalReader {
  readonly #file: string;
  readonly #fd: number;
  readonly #read = bufferedSpanReader();
  readonly #open = new Map<number, PendingItem>();
  #entries: PendingItem[] = [];
  #head = 0;
  #ends = 0;

  constructor(file: string, fd: number) {
    this.#file = file;
    this.#fd = fd;
  }

  *items(): Generator<JournalItem> {
    for (const { bytes, offset, isWhole } of linesOf(this.#fd)) {
      if (!isWhole) break;
      if (offset === 0) {
        const header = this.#parse(bytes, offset, journalHeaderOf);
        this.#ends = header.continues;
        yield { header };
      } else {
        this.#add(bytes, offset);
        yield* this.#readyItems();
      }
    }
    for (const entry of this.#entries.slice(this.#head)) {
      if (entry.ended === null) this.#ends += 1;
      yield this.#itemOf(entry, entry.ended ?? this.#ends);
    }
  }

  #add(bytes: Buffer, offset: number): void {
    const [, number, kind] = EVENT_LINE.exec(bytes.toString('latin1', 0, 60)) ?? [];
    if (number === undefined) {
      if (beginsAsSecret(bytes)) return;
      if (bytes.toString('latin1', 0, NOTE_START.length) !== NOTE_START) throw this.#damageError(offset);
      this.#entries.push({ i: 0, spans: [offset, bytes.length], ended: 0 });
      return;
    }
    const i = Number(number);
    const entry = kind === 'request' ? { i, spans: [], ended: null } : this.#open.get(i);
    if (entry === undefined) throw this.#damageError(offset);
    entry.spans.push(offset, bytes.length);
    if (kind === 'request') {
      this.#open.set(i, entry);
      this.#entries.push(entry);
    } else if (kind === 'end') {
      this.#ends += 1;
      entry.ended = this.#ends;
      this.#open.delete(i);
    }
  }

  /** Yields the first items until one has not ended yet. */
  *#readyItems(): Generator<JournalItem> {
    for (let entry = this.#entries[this.#head]; entry != null && entry.ended !== null; ) {
      yield this.#itemOf(entry, entry.ended);
      this.#head += 1;
      entry = this.#entries[this.#head];
    }
    if (this.#head < 10_000) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }

  #itemOf({ i, spans }: PendingItem, ended: number): JournalItem {
    if (i !== 0) return { events: { [Symbol.iterator]: () => this.#events(spans) }, ended };
    const [offset = 0, length = 0] = spans;
    return { note: this.#parse(this.#read(this.#fd, offset, length), offset, journalNoteOf) };
  }

  /** Reads the events of an exchange as they are consumed, because a long stream may not fit in memory. */
  *#events(spans: readonly number[]): Generator<JournalEvent> {
    for (let k = 0; k < spans.length; k += 2) {
      const offset = spans[k] ?? 0;
      yield this.#parse(this.#read(this.#fd, offset, spans[k + 1] ?? 0), offset, eventOf);
    }
  }

  /** Throws CassetteError for a line that `check` rejects. */
  #parse<T>(bytes: Buffer, offset: number, check: (value: unknown) => T | null): T {
    const line = check(tryParseLine(bytes));
    if (line === null) throw this.#damageError(offset);
    return line;
  }

  #damageError(offset: number): CassetteError {
    return new CassetteError(
      'malformed',
      `${this.#file}:${lineNumber(this.#fd, offset)} is not a line of a journal. The file was changed; delete that line, or record again.`,
    );
  }
}
