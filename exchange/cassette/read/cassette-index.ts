import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { isObject } from '../../../schemas/json.ts';
import { CassetteError } from '../error.ts';
import { isHeader } from '../format/line-shape.ts';
import { type CloseLine, FORMAT_VERSION, type HeaderLine } from '../format/lines.ts';
import { type FileLine, type LineSource, linesOf, readSpan } from './file-lines.ts';
import { ReplayIndex } from './replay-index.ts';

/** Where everything is in a cassette, found in one pass. */
export interface CassetteIndex {
  readonly header: HeaderLine;
  readonly exchanges: number;
  readonly notes: number;
  /** Of the k-th exchange (from 0): offset, number of bytes, ends before it, its own end ordinal. */
  readonly offsets: Float64Array;
  /** Of each exchange: bytes of its lines. */
  readonly lengths: Float64Array;
  readonly after: Uint32Array;
  readonly ended: Uint32Array;
  /** Match keys, sixteen bytes each, in latin1. */
  readonly keys: Buffer;
  /** 1 for an exchange that was cut off with its recorder. */
  readonly killed: Uint8Array;
  /** For those who open a cassette to replay it. */
  readonly replay: ReplayIndex | null;
  /** Of each note: offset, number of bytes, ends before it. */
  readonly noteSpans: readonly (readonly [offset: number, length: number, after: number])[];
}

const RESTORE = 'Restore it from version control, or record again.';
/** Beginning of a request line, in the member order of the format. */
const REQUEST = /^\{"e":"request","i":(\d+),"after":(\d+),"ended":(\d+),"key":"([0-9a-f]{16})"/;
/** Beginning of a note line. */
const NOTE = /^\{"e":"note","after":(\d+)/;
const LETTER_Q = 'q'.charCodeAt(0);
const LETTER_N = 'n'.charCodeAt(0);
const BRACE = '{'.charCodeAt(0);
/** Offset of the letter that distinguishes `request` and `note` from all other lines: `{"e":"reQuest`, `{"e":"Note`. */
const THIRD = 8;
/** Offsets in a line of the letters that identify its kind. */
const FIRST = 6;
const SECOND = 7;
/** Offset of the letter that distinguishes `recorder-killed` from the other endings: `{"e":"end","how":"R`. */
const HOW = 18;
const LETTER_R = 'r'.charCodeAt(0);

export interface ScanOptions {
  /** Whether it is opened to be replayed: then also what makes that quick is found. */
  readonly replay?: boolean;
}

/** The file that holds the lines of a cassette: its name, for messages, and its content. */
export interface Lines {
  readonly file: string;
  readonly source: LineSource;
}

/** Reads through a cassette and proves that it is whole and untouched. Throws CassetteError naming file and line. */
export function scanCassette(lines: Lines, options: ScanOptions = {}): CassetteIndex {
  const { file } = lines;
  const close = readClose(lines);
  const builder = new IndexBuilder(file, close, options);
  const hash = createHash('sha256');
  let n = 0;
  let sealed = 0;
  let seen = 0;
  const onChunk = (bytes: Buffer) => {
    seen += hashUpTo(hash, bytes, seen, close.offset);
  };
  for (const line of linesOf(lines.source, onChunk)) {
    n += 1;
    if (line.offset < close.offset) builder.add(line, n);
    else sealed += 1;
  }
  if (sealed > 1)
    throw new CassetteError('malformed', `${file}:${n} comes after the closing line. ${RESTORE}`);
  const index = builder.finish();
  if (hash.digest('hex') === close.line.sha256) return index;
  throw new CassetteError(
    'checksum',
    `${file} was changed after it was recorded: its checksum does not match. ${RESTORE}`,
  );
}

/** Hashes what lies before `until`; gives the number of bytes seen. */
function hashUpTo(hash: ReturnType<typeof createHash>, bytes: Buffer, seen: number, until: number): number {
  if (seen < until) hash.update(bytes.subarray(0, Math.min(bytes.length, until - seen)));
  return bytes.length;
}

interface Close {
  readonly line: CloseLine;
  readonly offset: number;
}

/** Bytes at the end of the file in which the last line is searched for. */
const TAIL = 4096;

/** The closing line, which is the last one; a file without it is torn. */
function readClose(lines: Lines): Close {
  const { source } = lines;
  const size = typeof source === 'number' ? fstatSync(source).size : source.length;
  const from = Math.max(0, size - TAIL);
  const tail = readSpan(source, from, size - from);
  const at = tail.lastIndexOf(10, tail.length - 2) + 1;
  const text = tail.subarray(at).toString();
  if (text.startsWith('{"e":"close"') && text.endsWith('\n')) {
    const line = closeLine(text);
    if (line !== null) return { line, offset: from + at };
  }
  throw findConflict(lines) ?? findVersion(lines) ?? torn(lines);
}

function closeLine(text: string): CloseLine | null {
  try {
    // as: written by us; a changed one does not match its checksum
    return JSON.parse(text) as CloseLine;
  } catch {
    return null;
  }
}

/** Error for a cassette without a close line. */
function torn({ file, source }: Lines): CassetteError {
  let n = 0;
  for (const _ of linesOf(source)) n += 1;
  return new CassetteError(
    'torn',
    `${file}:${n} is not the closing line of a cassette: the file is cut short. ${RESTORE}`,
  );
}

/** Error for the first merge conflict in the file; null without one. */
function findConflict({ file, source }: Lines): CassetteError | null {
  let n = 0;
  for (const { bytes } of linesOf(source)) {
    n += 1;
    if (isConflict(bytes)) return conflict(file, n);
  }
  return null;
}

/** Whether a line is a conflict marker of git. */
function isConflict(bytes: Buffer): boolean {
  return /^(?:<{7}|={7}|>{7}|\|{7})/.test(bytes.toString('latin1', 0, 7));
}

function conflict(file: string, n: number): CassetteError {
  const message = `${file}:${n} is a merge conflict marker. Cassettes cannot be merged: take one side, or record again.`;
  return new CassetteError('conflict', message);
}

/** Error for a cassette of another format version; null for the current one. */
function findVersion({ file, source }: Lines): CassetteError | null {
  for (const { bytes } of linesOf(source)) {
    try {
      readHeader(bytes, file);
    } catch (error) {
      return error instanceof CassetteError && error.kind === 'version' ? error : null;
    }
    break;
  }
  return null;
}

/** Parses the first line. Throws CassetteError where it is not a header of this format. */
function readHeader(bytes: Buffer, file: string): HeaderLine {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    value = null;
  }
  if (!isObject(value) || value['e'] !== 'header') {
    throw new CassetteError('malformed', `${file}:1 is not the header of a cassette. ${RESTORE}`);
  }
  if (value['format'] !== FORMAT_VERSION) {
    const found = JSON.stringify(value['format']);
    throw new CassetteError(
      'version',
      `${file}:1 is of format ${found}; this version reads format ${FORMAT_VERSION}. Use the version of assay that recorded it, or a newer one.`,
    );
  }
  if (!isHeader(value))
    throw new CassetteError('malformed', `${file}:1 is not the header of a cassette. ${RESTORE}`);
  // as: it was looked at
  return value as unknown as HeaderLine;
}

/** Builds the index line by line. Throws CassetteError at the first line that breaks the order of the format. */
class IndexBuilder {
  readonly #file: string;
  readonly #close: Close;
  readonly #options: ScanOptions;
  readonly #offsets: Float64Array;
  readonly #lengths: Float64Array;
  readonly #after: Uint32Array;
  readonly #ended: Uint32Array;
  readonly #keys: Buffer;
  readonly #killed: Uint8Array;
  readonly #noteSpans: (readonly [number, number, number])[] = [];
  #header: HeaderLine | null = null;
  #replay: ReplayIndex | null = null;
  #count = 0;
  #inside = false;

  constructor(file: string, close: Close, options: ScanOptions) {
    this.#file = file;
    this.#close = close;
    this.#options = options;
    const count = plausible(close.line.exchanges, close.offset);
    this.#offsets = new Float64Array(count);
    this.#lengths = new Float64Array(count);
    this.#after = new Uint32Array(count);
    this.#ended = new Uint32Array(count);
    this.#keys = Buffer.alloc(count * 16);
    this.#killed = new Uint8Array(count);
  }

  add(line: FileLine, n: number): void {
    const { bytes, offset } = line;
    if (this.#header === null) this.#begin(readHeader(bytes, this.#file));
    else if (bytes[0] !== BRACE) {
      if (isConflict(bytes)) throw conflict(this.#file, n);
      throw new CassetteError('malformed', `${this.#file}:${n} is not a line of a cassette. ${RESTORE}`);
    } else if (bytes[THIRD] === LETTER_Q) this.#request(bytes, offset, n);
    else if (bytes[FIRST] === LETTER_N) this.#note(bytes, offset, n);
    else if (bytes[HOW] === LETTER_R && bytes[SECOND] === LETTER_N) this.#killed[this.#count - 1] = 1;
    if (this.#inside) this.#replay?.add(this.#count - 1, bytes, offset);
  }

  #begin(header: HeaderLine): void {
    this.#header = header;
    if (this.#options.replay) this.#replay = new ReplayIndex(this.#offsets.length, header.betaHeader);
  }

  /** The index of all lines. Throws CassetteError where the counts of the close line differ. */
  finish(): CassetteIndex {
    this.#endExchange(this.#close.offset);
    const { exchanges, notes } = this.#close.line;
    if (this.#header === null || this.#count !== exchanges || this.#noteSpans.length !== notes) {
      const found = `${this.#count} exchanges and ${this.#noteSpans.length} notes`;
      const message = `${this.#file} holds ${found} where its closing line says ${exchanges} and ${notes}. ${RESTORE}`;
      throw new CassetteError('malformed', message);
    }
    return {
      header: this.#header,
      exchanges,
      notes,
      offsets: this.#offsets,
      lengths: this.#lengths,
      after: this.#after,
      ended: this.#ended,
      keys: this.#keys,
      killed: this.#killed,
      replay: this.#replay,
      noteSpans: this.#noteSpans,
    };
  }

  #request(bytes: Buffer, offset: number, n: number): void {
    const [, i, after, ended, key] = REQUEST.exec(bytes.toString('latin1', 0, 120)) ?? [];
    this.#endExchange(offset);
    const k = this.#count;
    if (key === undefined || Number(i) !== k + 1 || k >= this.#offsets.length) {
      const message = `${this.#file}:${n} is not the request of exchange ${k + 1}, which is due there. ${RESTORE}`;
      throw new CassetteError('malformed', message);
    }
    this.#offsets[k] = offset;
    this.#after[k] = Number(after);
    this.#ended[k] = Number(ended);
    this.#keys.write(key, k * 16, 'latin1');
    this.#count += 1;
    this.#inside = true;
  }

  #note(bytes: Buffer, offset: number, n: number): void {
    const [, after] = NOTE.exec(bytes.toString('latin1', 0, 60)) ?? [];
    if (after === undefined)
      throw new CassetteError('malformed', `${this.#file}:${n} is not a note. ${RESTORE}`);
    this.#endExchange(offset);
    this.#noteSpans.push([offset, bytes.length, Number(after)]);
  }

  #endExchange(offset: number): void {
    if (!this.#inside) return;
    const k = this.#count - 1;
    this.#lengths[k] = offset - (this.#offsets[k] ?? 0);
    this.#inside = false;
  }
}

/** The number that the closing line states, unless no file of this size could hold so many. */
function plausible(count: number, bytes: number): number {
  return Number.isInteger(count) && count >= 0 && count <= bytes / 50 ? count : 0;
}
