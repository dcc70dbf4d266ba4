import { closeSync } from 'node:fs';
import { CassetteError } from './cassette-error.ts';
import { openRegular } from './entries.ts';
import { lineNumber, linesOf, tryParseLine } from './line-reader.ts';
import { eventOf, journalHeaderOf, journalNoteOf } from './line-shape.ts';
import type { JournalEvent, JournalHeader, JournalNote } from './lines.ts';
import { bufferedSpanReader } from './span-reader.ts';

const EVENT_LINE = /^\{"i":(\d+),"e":"([a-z-]+)"/;
const NOTE_START = '{"e":"note"';
const SECRET_START = '{"e":"secret"';
const EVENT_START_LENGTH = 60;
const MAX_CONSUMED_ENTRIES = 10_000;
const NOT_A_LINE = 'is not a line of a journal. The file was changed; delete that line';
const NOT_NEXT = 'does not begin the next exchange. The file was changed; restore it';

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
  ended: number | null;
}

/** Whether a line has the digest of a secret, which belongs to no exchange and is not copied to the cassette. */
export function beginsAsSecret(line: Buffer): boolean {
  return line.toString('latin1', 0, SECRET_START.length) === SECRET_START;
}

/**
 * Skips a torn last line and the digests of secrets. Throws CassetteError for any other damaged line; for one in the
 * middle of an exchange, perhaps only when its `events` are consumed.
 */
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
  #begun = 0;
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
        this.#begun = this.#ends = header.continues;
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
    const [, number, kind] = EVENT_LINE.exec(bytes.toString('latin1', 0, EVENT_START_LENGTH)) ?? [];
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
      this.#begun += 1;
      // A cassette whose numbers have gaps could not be read.
      if (i !== this.#begun) throw this.#damageError(offset, NOT_NEXT);
      this.#open.set(i, entry);
      this.#entries.push(entry);
    } else if (kind === 'end') {
      this.#ends += 1;
      entry.ended = this.#ends;
      this.#open.delete(i);
    }
  }

  *#readyItems(): Generator<JournalItem> {
    for (let entry = this.#entries[this.#head]; entry != null && entry.ended !== null; ) {
      yield this.#itemOf(entry, entry.ended);
      this.#head += 1;
      entry = this.#entries[this.#head];
    }
    if (this.#head < MAX_CONSUMED_ENTRIES) return;
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

  #parse<T>(bytes: Buffer, offset: number, check: (value: unknown) => T | null): T {
    const line = check(tryParseLine(bytes));
    if (line === null) throw this.#damageError(offset);
    return line;
  }

  #damageError(offset: number, problem = NOT_A_LINE): CassetteError {
    const place = `${this.#file}:${lineNumber(this.#fd, offset)}`;
    return new CassetteError('malformed', `${place} ${problem}, or record again.`);
  }
}
