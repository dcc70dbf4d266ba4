import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../schemas/error-message.ts';
import { isObject } from '../../schemas/json.ts';
import type { Exchange } from '../exchange.ts';
import {
  digestHalves,
  type Fingerprint,
  Fingerprints,
  fingerprintWithBody,
} from '../matching/fingerprint.ts';
import type { Note, TraceHeader, TraceItem } from '../trace.ts';
import type { BlobStore } from './blobs.ts';
import { parseExchange, parseRecordedResponse, type RecordedResponse } from './exchange-lines.ts';
import { type OpenFiles, openFiles } from './finish.ts';
import { CassetteError, entryKind, recordingDir } from './folder.ts';
import {
  bufferedSpanReader,
  type FileLine,
  type LineSource,
  linesOf,
  type ReadSpan,
  readSpan,
} from './line-files.ts';
import { isHeader, isTimingLine, parseLines, parseNote, responseLine } from './line-shape.ts';
import {
  type CloseLine,
  FORMAT_VERSION,
  type HeaderLine,
  type RequestLine,
  type ResponseLine,
  type TimingHeader,
  type TimingLine,
} from './lines.ts';
import { lockedBy } from './lock.ts';

/**
 * Opens a cassette for reading: nothing on the disk is created, changed, removed or locked. One that was left unfinished is
 * put together in memory. All of it is proved whole here. Throws CassetteError when the cassette is missing, when it is in use,
 * damaged, or of another format, and where an entry of it is a link or a special file; the message says what to do.
 */
export async function openCassette(dir: string, options?: ScanOptions): Promise<Cassette> {
  const holder = recorderOf(dir);
  if (holder !== null) {
    const message = `${dir} is being recorded by process ${holder}. Wait for it to end, or end it.`;
    throw new CassetteError('in-use', message);
  }
  return openSettled(dir, options);
}

/** The same, whether it is in use or not. */
export function openSettled(dir: string, options?: ScanOptions): Cassette {
  const files = openFiles(dir);
  try {
    return new Cassette(dir, files, scanCassette(files.lines, options));
  } catch (error) {
    files.close();
    throw error;
  }
}

/** Id of the running process that records a cassette or adds to it; null when no process does. */
function recorderOf(dir: string): number | null {
  const holds = (name: string) => entryKind(join(dir, name)) !== null;
  if (holds('journal.jsonl')) return lockedBy(dir);
  const beside = recordingDir(dir);
  return !holds('cassette.jsonl') && entryKind(beside) === 'folder' ? lockedBy(beside) : null;
}

/** Reads a whole cassette into memory. */
export async function readTrace(dir: string): Promise<{ header: TraceHeader; items: TraceItem[] }> {
  const cassette = await openCassette(dir);
  const items: TraceItem[] = [];
  try {
    for await (const item of cassette.items()) items.push(item);
  } finally {
    cassette.close();
  }
  return { header: cassette.header, items };
}

/** How the two files of a cassette are read. */
interface Reads {
  /** Reads the lines. */
  readonly lines: ReadSpan;
  /** Reads the timing lane. */
  readonly timing: ReadSpan;
}

/** Reads each span from the disk when it is needed. */
const ONE_BY_ONE: Reads = { lines: readSpan, timing: readSpan };

const NOTHING = Buffer.alloc(0);

/** An open cassette: an index in memory, the rest on the disk. */
export class Cassette {
  /** Folder of the cassette. */
  readonly dir: string;
  /** Facts of the recording. */
  readonly header: TraceHeader;
  readonly #index: CassetteIndex;
  readonly #files: OpenFiles;
  readonly #source: LineSource;
  readonly #timingLane: TimingLane | null;

  /** Closes the files when it is closed. Throws CassetteError when they do not belong together. */
  constructor(dir: string, files: OpenFiles, index: CassetteIndex) {
    const { e: _, ...header } = index.header;
    const { lines, timing } = files;
    this.dir = dir;
    this.#index = index;
    this.#files = files;
    this.#source = lines.source;
    this.#timingLane = timing === null ? null : TimingLane.of(timing.file, timing.source, index.exchanges);
    const { target } = header;
    this.header = { ...header, target: { ...target, baseUrl: this.#timingLane?.baseUrl ?? target.baseUrl } };
  }

  /** How many exchanges it holds. */
  get size(): number {
    return this.#index.exchanges;
  }

  /** Everything in the order in which it ended, in bounded memory. `isWanted`: which exchanges to read, by their place by start, from 0. */
  async *items(isWanted: (k: number) => boolean = () => true): AsyncGenerator<TraceItem> {
    const { exchanges, ended, noteSpans } = this.#index;
    const byEnd = new Uint32Array(exchanges + 1);
    for (let k = 0; k < exchanges; k += 1) byEnd[ended[k] ?? 0] = k;
    const reads: Reads = { lines: bufferedSpanReader(), timing: bufferedSpanReader() };
    let note = 0;
    for (let end = 0; end <= exchanges; end += 1) {
      const k = byEnd[end] ?? 0;
      if (end > 0 && isWanted(k)) yield this.#exchange(k, reads);
      for (; (noteSpans[note]?.[2] ?? Number.POSITIVE_INFINITY) <= end; note += 1) yield this.#note(note);
    }
  }

  /** The k-th exchange by start, from 0. */
  exchange(k: number): Exchange {
    return this.#exchange(k, ONE_BY_ONE);
  }

  /**
   * The response of the k-th exchange: the same as `exchange` returns, at less cost where the cassette was opened for replay.
   * The bytes of its body are valid as long as those that `read` gives.
   */
  answer(k: number, read: ReadSpan = readSpan): RecordedResponse {
    try {
      const place = this.#index.replay?.answers.at(k) ?? null;
      if (place === null) return this.exchange(k);
      const timing = this.#timingLane?.line(k, this.#timingLane.whole()) ?? null;
      const body = place.size === 0 ? NOTHING : read(this.#source, place.offset, place.size);
      if (body.length === place.size) return parseRecordedResponse(k, place.head, body, timing);
      throw new Error('the file is shorter than it was when it was opened');
    } catch (error) {
      throw this.#unreadable(k, error);
    }
  }

  /** Parses the k-th exchange. */
  #exchange(k: number, reads: Reads): Exchange {
    try {
      const lines = parseLines(this.#span(k, reads.lines));
      const timing = this.#timingLane?.line(k, reads.timing) ?? null;
      if (timing !== null && !isTimingLine(timing)) throw new Error('its timing line is not valid');
      return parseExchange(lines, timing, this.#files.blobs);
    } catch (error) {
      throw this.#unreadable(k, error);
    }
  }

  /** Error for an exchange that cannot be parsed. */
  #unreadable(k: number, error: unknown): CassetteError {
    if (error instanceof CassetteError && error.message.includes(`: exchange e${k + 1}: `)) return error;
    const kind = error instanceof CassetteError ? error.kind : 'malformed';
    const place = `${this.#files.lines.file}:${this.lineOf(k)}`;
    return new CassetteError(kind, `${place}: exchange e${k + 1}: ${messageOf(error)}`, error);
  }

  /** The lines of the k-th exchange as they stand in the file. */
  lines(k: number): Buffer {
    return this.#span(k, readSpan);
  }

  /** The lines of the k-th exchange. */
  #span(k: number, read: ReadSpan): Buffer {
    return read(this.#source, this.#index.offsets[k] ?? 0, this.#index.lengths[k] ?? 0);
  }

  /** The number of the first of them, from 1. */
  lineOf(k: number): number {
    return countLines(this.#source, this.#index.offsets[k] ?? 0);
  }

  /** When the k-th exchange began, in milliseconds since 1970; 0 where the volatile lane is missing. */
  began(k: number): number {
    return this.#timingLane?.line(k, readSpan).began ?? 0;
  }

  /** The first line. */
  get headerLine(): HeaderLine {
    return this.#index.header;
  }

  /** The first line of the volatile lane; null without the lane. */
  get timingHeader(): TimingHeader | null {
    return this.#timingLane && { e: 'timing', format: 1, baseUrl: this.header.target.baseUrl };
  }

  /** The line of the k-th exchange in the volatile lane; null without the lane. */
  timing(k: number): TimingLine | null {
    return this.#timingLane?.line(k, readSpan) ?? null;
  }

  /** Bodies that are kept beside the lines. */
  get blobs(): Pick<BlobStore, 'read'> {
    return this.#files.blobs;
  }

  /** How many exchanges had ended when the k-th began, and its ordinal among the ends. */
  order(k: number): { readonly after: number; readonly ended: number } {
    return { after: this.#index.after[k] ?? 0, ended: this.#index.ended[k] ?? 0 };
  }

  /** All notes, each with the number of the exchange that began after it. */
  placedNotes(): ({ readonly before: number } & Note)[] {
    const { noteSpans, offsets } = this.#index;
    let k = 0;
    return noteSpans.map(([offset], n) => {
      while (k < this.size && (offsets[k] ?? 0) < offset) k += 1;
      return { before: k + 1, ...this.#note(n) };
    });
  }

  /** The match key of the k-th exchange. */
  key(k: number): string {
    return this.#index.keys.toString('latin1', k * 16, k * 16 + 16);
  }

  /** The fingerprint of the k-th request; null where it has none, and where the cassette was not opened for replay. */
  fingerprint(k: number): Fingerprint | null {
    return this.#index.replay?.fingerprints.at(k) ?? null;
  }

  /** Whether the k-th exchange was cut off with its recorder. */
  isKilled(k: number): boolean {
    return this.#index.killed[k] === 1;
  }

  /** The first line of the k-th exchange: its request without the body. */
  request(k: number): RequestLine {
    const bytes = this.lines(k);
    // as: written by us, and sealed by the checksum
    return JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(10))) as RequestLine;
  }

  /** Closes the files. The cassette cannot be read after that. */
  close(): void {
    this.#files.close();
  }

  /** Parses the k-th note. */
  #note(k: number): Note {
    const [offset, length] = this.#index.noteSpans[k] ?? [0, 0];
    try {
      return parseNote(readSpan(this.#source, offset, length));
    } catch (error) {
      const place = `${this.#files.lines.file}:${countLines(this.#source, offset)}`;
      throw new CassetteError('malformed', `${place}: ${messageOf(error)}`, error);
    }
  }
}

/** How many lines begin at or before an offset. */
function countLines(source: LineSource, offset: number): number {
  let n = 0;
  for (const line of linesOf(source)) {
    if (line.offset > offset) break;
    n += 1;
  }
  return n;
}

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

/** The volatile lane: arrival times and volatile values. A cassette is complete without it. */
export class TimingLane {
  /** Base URL of the target at recording time; null in a lane that does not contain it. */
  readonly baseUrl: string | null;
  readonly #file: string;
  readonly #source: LineSource;
  /** Of the line of each exchange, and of the end of the last. */
  readonly #offsets: Float64Array;
  #whole: ReadSpan | null = null;

  private constructor(file: string, source: LineSource, offsets: Float64Array) {
    this.#file = file;
    this.#source = source;
    this.#offsets = offsets;
    this.baseUrl = this.#header()?.baseUrl ?? null;
  }

  /** `file` is for messages only. Throws CassetteError when the lane does not belong to a cassette of so many exchanges. */
  static of(file: string, source: LineSource, exchanges: number): TimingLane {
    const offsets = new Float64Array(exchanges + 1);
    let lines = 0;
    let whole = true;
    for (const line of linesOf(source)) {
      if (lines > 0 && lines <= exchanges) offsets[lines - 1] = line.offset;
      if (lines <= exchanges) offsets[exchanges] = line.offset + line.bytes.length + 1;
      lines += 1;
      whole = line.whole;
    }
    if (whole && lines === exchanges + 1) return new TimingLane(file, source, offsets);
    throw new CassetteError(
      'torn',
      `${file} does not fit its cassette of ${exchanges} exchanges. Restore it from version control, or delete it: only times and volatile headers are lost.`,
    );
  }

  /** The line of the k-th exchange, from 0. */
  line(k: number, read: ReadSpan): TimingLine {
    const from = this.#offsets[k] ?? 0;
    const bytes = read(this.#source, from, (this.#offsets[k + 1] ?? from) - from);
    try {
      // as: checked by number, and nothing but times and volatile headers depends on it
      const line = JSON.parse(bytes.toString()) as TimingLine;
      if (line.i === k + 1) return line;
    } catch {
      // The same as a line of another exchange.
    }
    throw new CassetteError(
      'malformed',
      `${this.#file}:${k + 2} is not the timing of e${k + 1}. Restore or delete the file.`,
    );
  }

  /** For who needs lines in any order and often: the file is held in memory, unless it is large. */
  whole(): ReadSpan {
    this.#whole ??= held(this.#source, this.#offsets.at(-1) ?? 0);
    return this.#whole;
  }

  /** The header of the lane; null where its first line is not one. */
  #header(): TimingHeader | null {
    try {
      // as: only its base URL is used, for people
      return JSON.parse(readSpan(this.#source, 0, this.#offsets[0] ?? 0).toString()) as TimingHeader;
    } catch {
      return null;
    }
  }
}

/** Largest lane that is read into memory as a whole. Bytes. */
const LARGEST_HELD = 32 * 1024 * 1024;

/** Reads a small lane at once, and a larger one span by span. */
function held(source: LineSource, size: number): ReadSpan {
  if (size > LARGEST_HELD) return readSpan;
  const bytes = readSpan(source, 0, size);
  return (_, offset, length) => bytes.subarray(offset, offset + length);
}

/** Index columns that only a replay needs, built in the same pass: fingerprints of the requests, and the places of the responses. */
export class ReplayIndex {
  /** Of each exchange: fingerprint of its request. */
  readonly fingerprints: FingerprintColumn;
  /** Of each exchange: head and body of its response, where they are simple. */
  readonly answers: ResponseColumn;

  constructor(count: number, betaHeader: string) {
    this.fingerprints = new FingerprintColumn(count, betaHeader);
    this.answers = new ResponseColumn(count);
  }

  /** A line of the k-th exchange, which begins at this offset of the file. */
  add(k: number, line: Buffer, offset: number): void {
    const kind = line[KIND];
    if (kind === LETTER_B) {
      if (line[OF] === LETTER_Q) this.fingerprints.body(k, line);
      else this.answers.body(k, line, offset);
    } else if (line[THIRD] === LETTER_Q) this.fingerprints.request(k, line);
    else if (line[THIRD] === LETTER_S) this.answers.response(k, line);
    else if (line[THIRD] === LETTER_D) this.answers.end(k, line);
  }
}

/** Offsets of the letters that distinguish the lines: `{"e":"Body`, `{"e":"reQuest`, `{"e":"reSponse`, `{"e":"enD`. */
const KIND = 6;
/** And the two kinds of bodies: `{"e":"body","of":"reQuest`. */
const OF = 20;
const [LETTER_B, LETTER_D, LETTER_S] = [...Buffer.from('bds')];

/** Beginning of the part of a request line that is hashed. */
const METHOD = ',"method":';
/** Text before the digits of the size. */
const SIZE = '{"e":"body","of":"request","size":'.length;
const SHA256 = ',"sha256":"'.length;
const COMMA = ','.charCodeAt(0);
/** Offset, from the digest on, of the letter that distinguishes `"digest":true` from the other forms of a body. */
const FORM = 64 + '","'.length;

/** The fingerprints of the requests of a cassette, found while it is read through: two numbers each, both 0 where it has none. */
export class FingerprintColumn {
  readonly #numbers: Uint32Array;
  readonly #fingerprints: Fingerprints;

  constructor(count: number, betaHeader: string) {
    this.#numbers = new Uint32Array(count * 2);
    this.#fingerprints = new Fingerprints(betaHeader);
  }

  /** The first line of the k-th exchange. */
  request(k: number, line: Buffer): void {
    const text = line.toString();
    this.#set(k, this.#fingerprints.ofLine(text.slice(text.indexOf(METHOD) + 1)) ?? NONE);
  }

  /** The line of its request body. */
  body(k: number, line: Buffer): void {
    const start = this.at(k);
    if (start === null) return;
    const at = line.indexOf(COMMA, SIZE) + SHA256;
    const isDigest = line[at + FORM] === LETTER_D;
    this.#set(
      k,
      isDigest ? NONE : fingerprintWithBody(start, digestHalves(line.toString('latin1', at, at + 16))),
    );
  }

  /** Null where the k-th request has none. */
  at(k: number): Fingerprint | null {
    const [high, low] = [this.#numbers[2 * k] ?? 0, this.#numbers[2 * k + 1] ?? 0];
    return high === 0 && low === 0 ? null : [high, low];
  }

  /** Stores the fingerprint of the k-th exchange. */
  #set(k: number, [high, low]: Fingerprint): void {
    this.#numbers[2 * k] = high;
    this.#numbers[2 * k + 1] = low;
  }
}

/** Stands for an exchange without a fingerprint. */
const NONE: Fingerprint = [0, 0];

/** Where an answer is. */
export interface ResponseLocation {
  /** Response line. */
  readonly head: ResponseLine;
  /** Of the body, in the file. */
  readonly offset: number;
  /** Bytes of the body. */
  readonly size: number;
}

/** Most different response heads that are remembered: most responses begin alike. */
const MOST = 1_000;
const BODY = '{"e":"body","of":"response","size":';
const SHA256_MEMBER = ',"sha256":"'.length + 64;
const JSON_FOLLOWS = Buffer.from('","json":');
const COMPLETE = Buffer.from('{"e":"end","how":"complete"}');
/** Numbers for each answer. */
const WIDTH = 3;

/**
 * Where the plain answers of a cassette are: complete ones without trailers, whose body is JSON that stands in its line byte
 * for byte, or empty. Such a body goes out as it stands, neither read nor written again.
 */
export class ResponseColumn {
  readonly #heads: ResponseLine[] = [];
  readonly #known = new Map<string, number>();
  /**
   * Of each answer, side by side for they are read together: the number of its head and one, or 0 where it is not plain;
   * where its body begins; its size.
   */
  readonly #places: Float64Array;

  constructor(count: number) {
    this.#places = new Float64Array(WIDTH * count);
  }

  /** Adds the response line of the k-th exchange. */
  response(k: number, line: Buffer): void {
    const text = line.toString();
    let number = this.#known.get(text);
    if (number === undefined) {
      if (this.#heads.length === MOST) return;
      const head = responseLine(text);
      // Reading the exchange says what is wrong with it.
      if (head === null) return;
      number = this.#heads.push(head);
      this.#known.set(text, number);
    }
    this.#places[WIDTH * k] = number;
  }

  /** `offset`: where the line begins in the file. */
  body(k: number, line: Buffer, offset: number): void {
    const digits = line.indexOf(',', BODY.length);
    const size = Number(line.toString('latin1', BODY.length, digits));
    const from = digits + SHA256_MEMBER + JSON_FOLLOWS.length;
    const isPlain = line.length === from + size + 1 && follows(line, digits + SHA256_MEMBER, JSON_FOLLOWS);
    if (!isPlain) this.#places[WIDTH * k] = 0;
    this.#places[WIDTH * k + 1] = offset + from;
    this.#places[WIDTH * k + 2] = size;
  }

  /** Adds its end line. */
  end(k: number, line: Buffer): void {
    if (!line.equals(COMPLETE)) this.#places[WIDTH * k] = 0;
  }

  /** Null where the answer is not plain, and where there are too many different ones. */
  at(k: number): ResponseLocation | null {
    const at = WIDTH * k;
    const head = this.#heads[(this.#places[at] ?? 0) - 1];
    if (head === undefined) return null;
    return { head, offset: this.#places[at + 1] ?? 0, size: this.#places[at + 2] ?? 0 };
  }
}

/** Whether a text follows at an offset of a line. */
function follows(line: Buffer, at: number, text: Buffer): boolean {
  return line.compare(text, 0, text.length, at, at + text.length) === 0;
}
