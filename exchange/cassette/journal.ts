import { isUtf8 } from 'node:buffer';
import { closeSync, fsyncSync, ftruncateSync, renameSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import type { HeaderPairs } from '../exchange.ts';
import { isTooDeep, MOST_LEVELS } from '../http/json-text.ts';
import { CassetteError, createNewFile, entryKind, openRegular, unwritable, writing } from './folder.ts';
import { type FileLine, linesOf, readSpan } from './line-files.ts';
import { eventOf, journalHeaderOf, journalNoteOf } from './line-shape.ts';
import type { JournalEvent, JournalHeader, JournalLine, JournalNote } from './lines.ts';

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

/** The content of a journal in the order of its cassette: exchanges whole, by their start, notes in their places. */
export type JournalItem =
  | { readonly header: JournalHeader }
  | { readonly note: JournalNote }
  /** `ended` is its ordinal among the ends; those that the journal has no end of come after all others. */
  | { readonly events: readonly JournalEvent[]; readonly ended: number };

/** An exchange or note whose turn in the cassette has not come. */
interface Waiting {
  /** Number of the exchange; 0 for a note. */
  readonly i: number;
  /** Offset, length, offset, length, …: the lines themselves may be too many to hold. */
  readonly spans: number[];
  /** Ordinal of its end; null while it has not ended. */
  ended: number | null;
}

/** Beginning of an event line: number of the exchange, kind of the event. */
const LINE = /^\{"i":(\d+),"e":"([a-z-]+)"/;
/** Beginning of the lines that contain digests of secrets. */
export const SECRET = '{"e":"secret"';
/** Lines that lie as near together as this are read in one go. */
const NEAR = 1024 * 1024;

/** Reads a journal. A torn last line is passed over; a damaged line before it is a CassetteError. */
export function* readJournal(file: string): Generator<JournalItem> {
  const fd = openRegular(file);
  try {
    const queue = new Queue();
    let n = 0;
    for (const { bytes, offset, whole } of linesOf(fd)) {
      n += 1;
      if (!whole) break;
      const at = { file, n };
      if (n === 1) {
        const header = headerIn(bytes, at);
        queue.ends = header.continues;
        yield { header };
      } else {
        queue.add(bytes, offset, at);
        for (const entry of queue.ready()) yield itemOf(fd, entry, file);
      }
    }
    for (const entry of queue.rest()) yield itemOf(fd, entry, file);
  } finally {
    closeSync(fd);
  }
}

/** The first line. Throws CassetteError unless it is the header of a journal. */
function headerIn(bytes: Buffer, at: Place): JournalHeader {
  const header = journalHeaderOf(parse(bytes, at));
  if (header === null) throw damaged(at);
  return header;
}

/** Exchanges and notes in the order in which they began, until those before them have ended. */
class Queue {
  ends = 0;
  readonly #open = new Map<number, Waiting>();
  #entries: Waiting[] = [];
  #head = 0;

  /** Adds a line that begins at an offset of the file. */
  add(bytes: Buffer, offset: number, at: Place): void {
    const [, number, kind] = LINE.exec(bytes.toString('latin1', 0, 60)) ?? [];
    const span = [offset, bytes.length];
    if (number === undefined) {
      const beginning = bytes.toString('latin1', 0, SECRET.length);
      // It is not about one exchange, and does not belong to the cassette.
      if (beginning === SECRET) return;
      if (!beginning.startsWith('{"e":"note"')) throw damaged(at);
      this.#entries.push({ i: 0, spans: span, ended: 0 });
      return;
    }
    const i = Number(number);
    const entry = kind === 'request' ? { i, spans: [], ended: null } : this.#open.get(i);
    if (entry === undefined) throw damaged(at);
    entry.spans.push(...span);
    if (kind === 'request') {
      this.#open.set(i, entry);
      this.#entries.push(entry);
    } else if (kind === 'end') {
      this.ends += 1;
      entry.ended = this.ends;
      this.#open.delete(i);
    }
  }

  /** The entries whose turn has come. */
  *ready(): Generator<Waiting> {
    for (let entry = this.#entries[this.#head]; entry != null && entry.ended !== null; ) {
      yield entry;
      this.#head += 1;
      entry = this.#entries[this.#head];
    }
    if (this.#head < 10_000) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }

  /** All remaining entries, at the end of the journal. */
  *rest(): Generator<Waiting> {
    for (const entry of this.#entries.slice(this.#head)) {
      if (entry.ended === null) this.ends += 1;
      entry.ended ??= this.ends;
      yield entry;
    }
  }
}

/** Reads the lines of an entry from the file. Throws CassetteError where one has not the shape of its kind. */
function itemOf(fd: number, entry: Waiting, file: string): JournalItem {
  const checked = readLinesAt(fd, entry.spans).map((bytes, k) => {
    const value = parsed(bytes);
    const line = entry.i === 0 ? journalNoteOf(value) : eventOf(value);
    if (line === null) throw damaged({ file, n: lineNumber(fd, entry.spans[2 * k] ?? 0) });
    return line;
  });
  const [note] = checked;
  if (note?.e === 'note') return { note };
  return { events: checked.filter((line) => line.e !== 'note'), ended: entry.ended ?? 0 };
}

/** Number, from 1, of the line that begins at an offset. */
function lineNumber(fd: number, offset: number): number {
  let n = 1;
  for (const line of linesOf(fd)) {
    if (line.offset >= offset) break;
    n += 1;
  }
  return n;
}

/** Reads lines by pairs of offset and length. */
function readLinesAt(fd: number, spans: readonly number[]): Buffer[] {
  const starts = spans.filter((_, k) => k % 2 === 0);
  const lengths = spans.filter((_, k) => k % 2 === 1);
  const from = starts[0] ?? 0;
  const to = (starts.at(-1) ?? 0) + (lengths.at(-1) ?? 0);
  if (to - from > NEAR) return starts.map((start, k) => readSpan(fd, start, lengths[k] ?? 0));
  const region = readSpan(fd, from, to - from);
  return starts.map((start, k) => region.subarray(start - from, start - from + (lengths[k] ?? 0)));
}

/** A place in a file, for error messages. */
interface Place {
  readonly file: string;
  /** Line number, from 1. */
  readonly n: number;
}

/** Parses a line. Throws CassetteError where it is not JSON. */
function parse(bytes: Buffer, at: Place): unknown {
  const value = parsed(bytes);
  if (value === undefined) throw damaged(at);
  return value;
}

/** The value of a line; undefined where it is not JSON, or nested too deeply. */
function parsed(bytes: Buffer): unknown {
  try {
    const text = bytes.toString();
    return isTooDeep(text, MOST_LEVELS) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Error for a line that cannot be read. */
function damaged({ file, n }: Place): CassetteError {
  return new CassetteError(
    'malformed',
    `${file}:${n} is not a line of a journal. The file was changed; delete that line, or record again.`,
  );
}

/** A line of an exchange without the body that is written into it. */
export type LineWithoutBody = WithoutBody<JournalEvent>;
/** A line without the members that hold a body. */
type WithoutBody<E> = E extends unknown ? Omit<E, 'text' | 'base64' | 'blob' | 'digest' | 'parts'> : never;

/**
 * Adds a line as JSON.stringify writes it, with its body as the last member. Lines of exchanges are many and much alike:
 * they are put together of what is there as bytes.
 */
export function writeLine(
  to: LineBuffer,
  line: JournalLine | LineWithoutBody,
  body: Uint8Array | null,
): void {
  // Where the body stands elsewhere, the line says where.
  if (line.e === 'header' || line.e === 'note' || line.e === 'secret' || 'blob' in line || 'digest' in line)
    to.json(line);
  else {
    to.put(I);
    to.number(line.i);
    writeMembers(to, line);
    if (body !== null) to.body(body);
    to.put(BRACE);
  }
  to.put(LF);
}

/** Writes the members of an event in the order of the format. */
function writeMembers(to: LineBuffer, event: LineWithoutBody): void {
  switch (event.e) {
    case 'request':
      to.put(REQUEST).number(event.after);
      to.put(BEGAN).number(event.began);
      orNull(to.put(SCENARIO), event.scenario);
      orNull(to.put(PROBE), event.probe);
      to.put(METHOD).put(texts.of(event.method));
      to.put(TARGET).put(texts.of(event.target));
      fields(to.put(HEADERS), event.headers);
      orNull(to.put(BOUNDARY), event.boundary);
      return;
    case 'request-body':
      to.put(REQUEST_BODY).number(event.size);
      return;
    case 'response':
      to.put(RESPONSE).number(event.status);
      to.put(REASON).put(texts.of(event.reason));
      fields(to.put(HEADERS), event.headers);
      return;
    case 'piece':
      to.put(PIECE).number(event.at);
      to.put(SIZE).number(event.size);
      return;
    case 'response-body':
      to.put(RESPONSE_BODY).number(event.size);
      pieces(to.put(PIECES), event.pieces);
      return;
    case 'end':
      to.put(END).number(event.ended);
      to.put(HOW).put(texts.of(event.how));
      orNull(to.put(DETAIL), event.detail);
      to.put(AT).number(event.at);
      fields(to.put(TRAILERS), event.trailers);
  }
}

/** Writes a value as JSON, or `null`. */
function orNull(to: LineBuffer, value: object | string | null): void {
  if (value === null) to.put(NULL);
  else to.json(value);
}

/** Writes header fields as an array of pairs. */
function fields(to: LineBuffer, headers: HeaderPairs): void {
  to.put(OPEN);
  for (let i = 0; i < headers.length; i += 1) {
    if (i > 0) to.put(COMMA);
    to.put(pairs.of(headers[i] ?? NO_PAIR));
  }
  to.put(CLOSE);
}

/** Writes offsets and arrival times as an array of pairs. */
function pieces(to: LineBuffer, all: readonly (readonly [number, number])[]): void {
  to.put(OPEN);
  for (let i = 0; i < all.length; i += 1) {
    const [offset = 0, at = 0] = all[i] ?? [];
    to.put(i > 0 ? NEXT_PIECE : OPEN).number(offset);
    to.put(COMMA).number(at);
    to.put(CLOSE);
  }
  to.put(CLOSE);
}

/** The JSON of values that come again and again, as bytes. */
class Known<T extends string | HeaderPairs[number]> {
  readonly #bytes = new Map<T, Uint8Array>();

  /** The JSON of a value, from the cache where it is known. */
  of(value: T): Uint8Array {
    const known = this.#bytes.get(value);
    if (known !== undefined) return known;
    const bytes = Buffer.from(JSON.stringify(value) ?? 'null');
    if (bytes.length > LONGEST) return bytes;
    if (this.#bytes.size >= MOST) this.#bytes.clear();
    this.#bytes.set(value, bytes);
    return bytes;
  }
}

/** Most cached values, and the longest that is cached (in characters). */
const MOST = 1_000;
const LONGEST = 500;
const texts = new Known<string>();
/** By the very pair: the redactor gives the same one for the same field. */
const pairs = new Known<HeaderPairs[number]>();
const NO_PAIR: HeaderPairs[number] = ['', ''];

/** The constant parts of the lines. */
const I = Buffer.from('{"i":');
const REQUEST = Buffer.from(',"e":"request","after":');
const BEGAN = Buffer.from(',"began":');
const SCENARIO = Buffer.from(',"scenario":');
const PROBE = Buffer.from(',"probe":');
const METHOD = Buffer.from(',"method":');
const TARGET = Buffer.from(',"target":');
const HEADERS = Buffer.from(',"headers":');
const BOUNDARY = Buffer.from(',"boundary":');
const REQUEST_BODY = Buffer.from(',"e":"request-body","size":');
const RESPONSE = Buffer.from(',"e":"response","status":');
const REASON = Buffer.from(',"reason":');
const PIECE = Buffer.from(',"e":"piece","at":');
const SIZE = Buffer.from(',"size":');
const RESPONSE_BODY = Buffer.from(',"e":"response-body","size":');
const PIECES = Buffer.from(',"pieces":');
const END = Buffer.from(',"e":"end","ended":');
const HOW = Buffer.from(',"how":');
const DETAIL = Buffer.from(',"detail":');
const AT = Buffer.from(',"at":');
const TRAILERS = Buffer.from(',"trailers":');
const NULL = Buffer.from('null');
/** Punctuation of JSON. */
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const NEXT_PIECE = Buffer.from(',[');
const COMMA = Buffer.from(',');
const BRACE = Buffer.from('}');

const TEXT = Buffer.from(',"text":"');
const BASE64 = Buffer.from(',"base64":"');
const QUOTE = Buffer.from('"');
const BACKSLASH = 0x5c;
const HEX = Buffer.from('0123456789abcdef');
/** From so many bytes on, to copy them together costs less than one by one. */
const LONG = 32;

/** Lines on their way to a file, written straight into bytes: bodies are many, and need not become strings. */
export class LineBuffer {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  /** Bytes that are not flushed yet. Valid until the next line. */
  get waiting(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Forgets the content; the memory is used again. */
  clear(): void {
    this.#length = 0;
  }

  /** Adds bytes as they are. */
  put(bytes: Uint8Array): this {
    const { length } = bytes;
    this.#reserve(length);
    const to = this.#bytes;
    if (length > LONG) to.set(bytes, this.#length);
    else for (let at = 0; at < length; at += 1) to[this.#length + at] = bytes[at] ?? 0;
    this.#length += length;
    return this;
  }

  /** Adds a value as JSON.stringify writes it. */
  json(value: unknown): void {
    const json = JSON.stringify(value);
    this.#reserve(json.length * 3);
    this.#write(json);
  }

  /** The same for a number, without a string being made of it. */
  number(value: number): void {
    this.#reserve(MAX_NUMBER_BYTES);
    const end = writeNumber(this.#bytes, this.#length, value);
    if (end === -1) this.json(value);
    else this.#length = end;
  }

  /** Adds a member that holds a body: `text` where it is text, else `base64`. */
  body(body: Uint8Array): void {
    if (isUtf8(body)) {
      this.#reserve(body.length * 6 + 32);
      this.put(TEXT);
      this.#escape(body);
    } else {
      const base64 = Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64');
      this.put(BASE64);
      this.#reserve(base64.length);
      this.#write(base64);
    }
    this.put(QUOTE);
  }

  /** Writes an ASCII text. */
  #write(text: string): void {
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** As JSON.stringify writes a string; the bytes are valid UTF-8. */
  #escape(body: Uint8Array): void {
    const words = asUint32(body);
    let at = 0;
    while (at < body.length) {
      const from = at;
      at = indexOfEscaped(body, words, from);
      this.#copy(body, from, at);
      if (at === body.length) break;
      this.#escaped(body[at] ?? 0);
      at += 1;
    }
  }

  /** Copies bytes that need no escape. */
  #copy(body: Uint8Array, from: number, until: number): void {
    const bytes = this.#bytes;
    const to = this.#length;
    if (until - from > LONG) bytes.set(body.subarray(from, until), to);
    else for (let at = from; at < until; at += 1) bytes[to + at - from] = body[at] ?? 0;
    this.#length = to + until - from;
  }

  /** Writes one byte as a JSON escape. */
  #escaped(byte: number): void {
    const bytes = this.#bytes;
    const to = this.#length;
    bytes[to] = BACKSLASH;
    const letter = SHORT_ESCAPES[byte] ?? 0;
    if (letter !== 0) {
      bytes[to + 1] = letter;
      this.#length = to + 2;
      return;
    }
    bytes.write('u00', to + 1, 'latin1');
    bytes[to + 4] = HEX[byte >> 4] ?? 0;
    bytes[to + 5] = HEX[byte & 15] ?? 0;
    this.#length = to + 6;
  }

  /** Enlarges the buffer for further bytes. */
  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Letter of the short escape of a byte in JSON, 0 where it has none. */
export const SHORT_ESCAPES = new Uint8Array(256);
for (const [byte, letter] of Object.entries({
  8: 'b',
  9: 't',
  10: 'n',
  12: 'f',
  13: 'r',
  34: '"',
  92: '\\',
})) {
  SHORT_ESCAPES[Number(byte)] = letter.charCodeAt(0);
}
/** First ASCII character that JSON writes without an escape. */
const SPACE = 0x20;
/** 1 for each byte that JSON writes otherwise than it is. */
const SPECIAL = SHORT_ESCAPES.map((letter, byte) => (letter !== 0 || byte < SPACE ? 1 : 0));

/** Result for a text without such characters. */
const NONE = new Int32Array(0);

/** The bytes once more, four in each number, from the first one on that a number can begin with. */
export function asUint32(bytes: Uint8Array): Int32Array {
  const first = -bytes.byteOffset & 3;
  if (bytes.length < first) return NONE;
  return new Int32Array(bytes.buffer, bytes.byteOffset + first, (bytes.length - first) >> 2);
}

/** Where the first byte stands that JSON does not write as it is; `words` are those of these bytes. */
export function indexOfEscaped(bytes: Uint8Array, words: Int32Array, from: number): number {
  const first = words.byteOffset - bytes.byteOffset;
  let at = from;
  for (const until = Math.min(bytes.length, at + ((first - at) & 3)); at < until; at += 1) {
    if (SPECIAL[bytes[at] ?? 0] !== 0) return at;
  }
  for (let i = (at - first) >> 2; i < words.length && isPlain(words[i] ?? 0); i += 1) at += 4;
  while (at < bytes.length && SPECIAL[bytes[at] ?? 0] === 0) at += 1;
  return at;
}

/** Whether no byte of four is below a space, a quote or a backslash: subtracting would borrow from the bit above it. */
function isPlain(word: number): boolean {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  const borrowed =
    ((word - 0x20202020) & ~word) | ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash);
  return (borrowed & 0x80808080) === 0;
}

/** So many bytes `writeNumber` writes at most. */
export const MAX_NUMBER_BYTES = 20;

/** ASCII code of the digit 0. */
const ZERO = 0x30;
const POINT = 0x2e;
/** Below it, no other number of so few digits stands as near as one of thousandths. */
const MOST_OF_THOUSANDTHS = 1e9;

/**
 * Writes whole numbers and thousandths as JSON.stringify does; gives where the number ends, or -1 where it is another one.
 */
export function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) return -1;
  const whole = Math.floor(value);
  if (whole === value) return writeWhole(bytes, at, whole);
  const thousandths = Math.round(value * 1000);
  if (value > MOST_OF_THOUSANDTHS || thousandths / 1000 !== value) return -1;
  const end = writeWhole(bytes, at, whole);
  bytes[end] = POINT;
  return writeFraction(bytes, end + 1, thousandths - whole * 1000);
}

/** Writes a non-negative integer in decimal; returns the offset after it. */
function writeWhole(bytes: Uint8Array, at: number, value: number): number {
  let end = at + 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  let rest = value;
  for (let place = end - 1; place >= at; place -= 1) {
    const tens = Math.floor(rest / 10);
    bytes[place] = ZERO + (rest - tens * 10);
    rest = tens;
  }
  return end;
}

/** Three digits, without zeros at their end. */
function writeFraction(bytes: Uint8Array, at: number, thousandths: number): number {
  const hundredths = Math.floor(thousandths / 10);
  const tenths = Math.floor(hundredths / 10);
  const [last, middle] = [thousandths - hundredths * 10, hundredths - tenths * 10];
  bytes[at] = ZERO + tenths;
  if (last === 0 && middle === 0) return at + 1;
  bytes[at + 1] = ZERO + middle;
  if (last === 0) return at + 2;
  bytes[at + 2] = ZERO + last;
  return at + 3;
}
