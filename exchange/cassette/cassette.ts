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
 * Opens a cassette for reading and verifies all of it. Creates, changes, removes and locks nothing; an unfinished
 * cassette is put together in memory. Throws CassetteError if it is missing, in use, damaged, of another format, or
 * contains links or special files; the message says what to do.
 */
export async function openCassette(dir: string, options?: ScanOptions): Promise<Cassette> {
  const holder = recorderOf(dir);
  if (holder !== null) {
    const message = `${dir} is being recorded by process ${holder}. Wait for it to end, or end it.`;
    throw new CassetteError('in-use', message);
  }
  return openSettled(dir, options);
}

/** As `openCassette`, even while the cassette is in use. */
export function openSettled(dir: string, options?: ScanOptions): Cassette {
  const files = openFiles(dir);
  try {
    return new Cassette(dir, files, scanCassette(files.lines, options));
  } catch (error) {
    files.close();
    throw error;
  }
}

/** Process id of a recorder that is writing this cassette; null if there is none. */
function recorderOf(dir: string): number | null {
  const holds = (name: string) => entryKind(join(dir, name)) !== null;
  if (holds('journal.jsonl')) return lockedBy(dir);
  const beside = recordingDir(dir);
  return !holds('cassette.jsonl') && entryKind(beside) === 'folder' ? lockedBy(beside) : null;
}

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

/** How spans of the two files are read. */
interface Reads {
  readonly lines: ReadSpan;
  readonly timing: ReadSpan;
}

const ONE_BY_ONE: Reads = { lines: readSpan, timing: readSpan };

const NOTHING = Buffer.alloc(0);

/** An open cassette: an index in memory, the rest on the disk. */
export class Cassette {
  readonly dir: string;
  readonly header: TraceHeader;
  readonly #index: CassetteIndex;
  readonly #files: OpenFiles;
  readonly #source: LineSource;
  readonly #timingFile: TimingFile | null;

  /** `close` closes the files. Throws CassetteError if they do not belong together. */
  constructor(dir: string, files: OpenFiles, index: CassetteIndex) {
    const { e: _, ...header } = index.header;
    const { lines, timing } = files;
    this.dir = dir;
    this.#index = index;
    this.#files = files;
    this.#source = lines.source;
    this.#timingFile = timing === null ? null : TimingFile.of(timing.file, timing.source, index.exchanges);
    const { target } = header;
    this.header = { ...header, target: { ...target, baseUrl: this.#timingFile?.baseUrl ?? target.baseUrl } };
  }

  get size(): number {
    return this.#index.exchanges;
  }

  /**
   * Everything in the order in which it ended, in bounded memory. `isWanted` selects exchanges by position (by start,
   * from 0).
   */
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
   * The response of the k-th exchange, as in `exchange` but cheaper if the cassette was opened for replay. The body is
   * valid as long as the bytes that `read` returns.
   */
  answer(k: number, read: ReadSpan = readSpan): RecordedResponse {
    try {
      const place = this.#index.replay?.answers.at(k) ?? null;
      if (place === null) return this.exchange(k);
      const timing = this.#timingFile?.line(k, this.#timingFile.whole()) ?? null;
      const body = place.size === 0 ? NOTHING : read(this.#source, place.offset, place.size);
      if (body.length === place.size) return parseRecordedResponse(k, place.head, body, timing);
      throw new Error('the file is shorter than it was when it was opened');
    } catch (error) {
      throw this.#unreadable(k, error);
    }
  }

  #exchange(k: number, reads: Reads): Exchange {
    try {
      const lines = parseLines(this.#span(k, reads.lines));
      const timing = this.#timingFile?.line(k, reads.timing) ?? null;
      if (timing !== null && !isTimingLine(timing)) throw new Error('its timing line is not valid');
      return parseExchange(lines, timing, this.#files.blobs);
    } catch (error) {
      throw this.#unreadable(k, error);
    }
  }

  #unreadable(k: number, error: unknown): CassetteError {
    if (error instanceof CassetteError && error.message.includes(`: exchange e${k + 1}: `)) return error;
    const kind = error instanceof CassetteError ? error.kind : 'malformed';
    const place = `${this.#files.lines.file}:${this.lineOf(k)}`;
    return new CassetteError(kind, `${place}: exchange e${k + 1}: ${messageOf(error)}`, error);
  }

  lines(k: number): Buffer {
    return this.#span(k, readSpan);
  }

  #span(k: number, read: ReadSpan): Buffer {
    return read(this.#source, this.#index.offsets[k] ?? 0, this.#index.lengths[k] ?? 0);
  }

  /** Number, from 1, of the first line of the k-th exchange. */
  lineOf(k: number): number {
    return countLines(this.#source, this.#index.offsets[k] ?? 0);
  }

  /** When the k-th exchange began, in milliseconds since 1970; 0 without the timing file. */
  began(k: number): number {
    return this.#timingFile?.line(k, readSpan).began ?? 0;
  }

  get headerLine(): HeaderLine {
    return this.#index.header;
  }

  get timingHeader(): TimingHeader | null {
    return this.#timingFile && { e: 'timing', format: 1, baseUrl: this.header.target.baseUrl };
  }

  timing(k: number): TimingLine | null {
    return this.#timingFile?.line(k, readSpan) ?? null;
  }

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

  key(k: number): string {
    return this.#index.keys.toString('latin1', k * 16, k * 16 + 16);
  }

  /** Fingerprint of the k-th request; null if it has none, or the cassette was not opened for replay. */
  fingerprint(k: number): Fingerprint | null {
    return this.#index.replay?.fingerprints.at(k) ?? null;
  }

  /** Whether the recorder was killed during the k-th exchange. */
  isKilled(k: number): boolean {
    return this.#index.killed[k] === 1;
  }

  /** The request line of the k-th exchange. */
  request(k: number): RequestLine {
    const bytes = this.lines(k);
    // as: written by us, and sealed by the checksum
    return JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(10))) as RequestLine;
  }

  close(): void {
    this.#files.close();
  }

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

/** Where everything is in a cassette, found in one pass. Arrays have one entry per exchange. */
interface CassetteIndex {
  readonly header: HeaderLine;
  readonly exchanges: number;
  readonly notes: number;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  readonly after: Uint32Array;
  readonly ended: Uint32Array;
  /** Match keys of sixteen latin1 bytes each. */
  readonly keys: Buffer;
  /** 1 for an exchange during which the recorder was killed. */
  readonly killed: Uint8Array;
  /** Null unless the cassette was opened for replay. */
  readonly replay: ReplayIndex | null;
  readonly noteSpans: readonly (readonly [offset: number, length: number, after: number])[];
}

const RESTORE = 'Restore it from version control, or record again.';
/** A request line begins like this: the format fixes the order of members. */
const REQUEST = /^\{"e":"request","i":(\d+),"after":(\d+),"ended":(\d+),"key":"([0-9a-f]{16})"/;
const NOTE = /^\{"e":"note","after":(\d+)/;
const LETTER_Q = 'q'.charCodeAt(0);
const LETTER_N = 'n'.charCodeAt(0);
const BRACE = '{'.charCodeAt(0);
/** Offset of the letter that tells `{"e":"reQuest` from all other lines. */
const THIRD = 8;
/** Offsets of the letters that tell notes and ends from other lines. */
const FIRST = 6;
const SECOND = 7;
/** Offset of the letter that tells `{"e":"end","how":"Recorder-killed` from other endings. */
const HOW = 18;
const LETTER_R = 'r'.charCodeAt(0);

interface ScanOptions {
  /** Also builds the index that makes replay fast. */
  readonly replay?: boolean;
}

/** The lines of a cassette: their content, and the file name for messages. */
export interface Lines {
  readonly file: string;
  readonly source: LineSource;
}

/**
 * Reads a cassette from end to end and verifies that it is complete and unchanged. Throws CassetteError with file and
 * line.
 */
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

function hashUpTo(hash: ReturnType<typeof createHash>, bytes: Buffer, seen: number, until: number): number {
  if (seen < until) hash.update(bytes.subarray(0, Math.min(bytes.length, until - seen)));
  return bytes.length;
}

interface Close {
  readonly line: CloseLine;
  readonly offset: number;
}

/** The closing line is searched for in this many bytes at the end. */
const TAIL = 4096;

/** The closing line; a file without it was cut short. */
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
  throw findConflict(lines) ?? findVersion(lines) ?? tornError(lines);
}

function closeLine(text: string): CloseLine | null {
  try {
    // as: written by us; a changed one does not match its checksum
    return JSON.parse(text) as CloseLine;
  } catch {
    return null;
  }
}

function tornError({ file, source }: Lines): CassetteError {
  let n = 0;
  for (const _ of linesOf(source)) n += 1;
  return new CassetteError(
    'torn',
    `${file}:${n} is not the closing line of a cassette: the file is cut short. ${RESTORE}`,
  );
}

function findConflict({ file, source }: Lines): CassetteError | null {
  let n = 0;
  for (const { bytes } of linesOf(source)) {
    n += 1;
    if (isConflict(bytes)) return conflictError(file, n);
  }
  return null;
}

function isConflict(bytes: Buffer): boolean {
  return /^(?:<{7}|={7}|>{7}|\|{7})/.test(bytes.toString('latin1', 0, 7));
}

function conflictError(file: string, n: number): CassetteError {
  const message = `${file}:${n} is a merge conflict marker. Cassettes cannot be merged: take one side, or record again.`;
  return new CassetteError('conflict', message);
}

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

/** Throws CassetteError if the first line is not a header of this format. */
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
  // as: checked above
  return value as unknown as HeaderLine;
}

/** Throws CassetteError at the first line that violates the order of the format. */
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
    const count = plausibleCount(close.line.exchanges, close.offset);
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
      if (isConflict(bytes)) throw conflictError(this.#file, n);
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

  /** Throws CassetteError if the closing line states other counts. */
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

/** The stated number of exchanges, or 0 if a file of this size cannot hold that many. */
function plausibleCount(count: number, bytes: number): number {
  return Number.isInteger(count) && count >= 0 && count <= bytes / 50 ? count : 0;
}

/** The timing file: arrival times and volatile header values. A cassette is complete without it. */
class TimingFile {
  /** Base URL of the target during recording; null if the file does not state it. */
  readonly baseUrl: string | null;
  readonly #file: string;
  readonly #source: LineSource;
  /** Offset of the line of each exchange, and of the end of the last one. */
  readonly #offsets: Float64Array;
  #whole: ReadSpan | null = null;

  private constructor(file: string, source: LineSource, offsets: Float64Array) {
    this.#file = file;
    this.#source = source;
    this.#offsets = offsets;
    this.baseUrl = this.#header()?.baseUrl ?? null;
  }

  /** `file` is for messages. Throws CassetteError unless the file has a line for each exchange. */
  static of(file: string, source: LineSource, exchanges: number): TimingFile {
    const offsets = new Float64Array(exchanges + 1);
    let lines = 0;
    let whole = true;
    for (const line of linesOf(source)) {
      if (lines > 0 && lines <= exchanges) offsets[lines - 1] = line.offset;
      if (lines <= exchanges) offsets[exchanges] = line.offset + line.bytes.length + 1;
      lines += 1;
      whole = line.whole;
    }
    if (whole && lines === exchanges + 1) return new TimingFile(file, source, offsets);
    throw new CassetteError(
      'torn',
      `${file} does not fit its cassette of ${exchanges} exchanges. Restore it from version control, or delete it: only times and volatile headers are lost.`,
    );
  }

  line(k: number, read: ReadSpan): TimingLine {
    const from = this.#offsets[k] ?? 0;
    const bytes = read(this.#source, from, (this.#offsets[k + 1] ?? from) - from);
    try {
      // as: checked by number, and nothing but times and volatile headers depends on it
      const line = JSON.parse(bytes.toString()) as TimingLine;
      if (line.i === k + 1) return line;
    } catch {
      // Treated like the line of another exchange.
    }
    throw new CassetteError(
      'malformed',
      `${this.#file}:${k + 2} is not the timing of e${k + 1}. Restore or delete the file.`,
    );
  }

  /** Reads spans from memory if the file is small: for callers that need many lines in any order. */
  whole(): ReadSpan {
    this.#whole ??= held(this.#source, this.#offsets.at(-1) ?? 0);
    return this.#whole;
  }

  #header(): TimingHeader | null {
    try {
      // as: only its base URL is used, for people
      return JSON.parse(readSpan(this.#source, 0, this.#offsets[0] ?? 0).toString()) as TimingHeader;
    } catch {
      return null;
    }
  }
}

const LARGEST_HELD = 32 * 1024 * 1024;

function held(source: LineSource, size: number): ReadSpan {
  if (size > LARGEST_HELD) return readSpan;
  const bytes = readSpan(source, 0, size);
  return (_, offset, length) => bytes.subarray(offset, offset + length);
}

/** What only a replay needs: fingerprints of requests, and the positions of responses. */
class ReplayIndex {
  /** Fingerprint of each request. */
  readonly fingerprints: FingerprintColumn;
  /** Head and body position of each simple response. */
  readonly answers: ResponseColumn;

  constructor(count: number, betaHeader: string) {
    this.fingerprints = new FingerprintColumn(count, betaHeader);
    this.answers = new ResponseColumn(count);
  }

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

/** Offsets of the letters that tell the lines apart: `{"e":"Body`, `{"e":"reQuest`, `{"e":"reSponse`, `{"e":"enD`. */
const KIND = 6;
/** Offset of the letter that tells the bodies apart: `{"e":"body","of":"reQuest`. */
const OF = 20;
const [LETTER_B, LETTER_D, LETTER_S] = [...Buffer.from('bds')];

/** The fingerprint covers a request line from here on. */
const METHOD = ',"method":';
const SIZE = '{"e":"body","of":"request","size":'.length;
const SHA256 = ',"sha256":"'.length;
const COMMA = ','.charCodeAt(0);
/** Offset after the digest of the letter that tells `"digest":true` from other forms of a body. */
const FORM = 64 + '","'.length;

/** Fingerprints of the requests of a cassette, two numbers each; both are 0 for a request without one. */
class FingerprintColumn {
  readonly #numbers: Uint32Array;
  readonly #fingerprints: Fingerprints;

  constructor(count: number, betaHeader: string) {
    this.#numbers = new Uint32Array(count * 2);
    this.#fingerprints = new Fingerprints(betaHeader);
  }

  request(k: number, line: Buffer): void {
    const text = line.toString();
    this.#set(k, this.#fingerprints.ofLine(text.slice(text.indexOf(METHOD) + 1)) ?? NONE);
  }

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

  at(k: number): Fingerprint | null {
    const [high, low] = [this.#numbers[2 * k] ?? 0, this.#numbers[2 * k + 1] ?? 0];
    return high === 0 && low === 0 ? null : [high, low];
  }

  #set(k: number, [high, low]: Fingerprint): void {
    this.#numbers[2 * k] = high;
    this.#numbers[2 * k + 1] = low;
  }
}

const NONE: Fingerprint = [0, 0];

/** Position of a response. */
interface ResponseLocation {
  readonly head: ResponseLine;
  /** Offset of the body in the file. */
  readonly offset: number;
  readonly size: number;
}

/** Most responses share their head; after this many distinct heads, further ones are not indexed. */
const MOST = 1_000;
const BODY = '{"e":"body","of":"response","size":';
const SHA256_MEMBER = ',"sha256":"'.length + 64;
const JSON_FOLLOWS = Buffer.from('","json":');
const COMPLETE = Buffer.from('{"e":"end","how":"complete"}');
const WIDTH = 3;

/**
 * Positions of the simple responses: complete, without trailers, with an empty body or one whose JSON stands in its
 * line byte for byte. Such a body is sent straight from the file.
 */
class ResponseColumn {
  readonly #heads: ResponseLine[] = [];
  readonly #known = new Map<string, number>();
  /** Three numbers for each response: index of its head plus one (0 if it is not simple), offset and size of its body. */
  readonly #places: Float64Array;

  constructor(count: number) {
    this.#places = new Float64Array(WIDTH * count);
  }

  response(k: number, line: Buffer): void {
    const text = line.toString();
    let number = this.#known.get(text);
    if (number === undefined) {
      if (this.#heads.length === MOST) return;
      const head = responseLine(text);
      // Reading the exchange reports the error.
      if (head === null) return;
      number = this.#heads.push(head);
      this.#known.set(text, number);
    }
    this.#places[WIDTH * k] = number;
  }

  body(k: number, line: Buffer, offset: number): void {
    const digits = line.indexOf(',', BODY.length);
    const size = Number(line.toString('latin1', BODY.length, digits));
    const from = digits + SHA256_MEMBER + JSON_FOLLOWS.length;
    const isPlain = line.length === from + size + 1 && follows(line, digits + SHA256_MEMBER, JSON_FOLLOWS);
    if (!isPlain) this.#places[WIDTH * k] = 0;
    this.#places[WIDTH * k + 1] = offset + from;
    this.#places[WIDTH * k + 2] = size;
  }

  end(k: number, line: Buffer): void {
    if (!line.equals(COMPLETE)) this.#places[WIDTH * k] = 0;
  }

  /** Null if the response is not simple or its head is not indexed. */
  at(k: number): ResponseLocation | null {
    const at = WIDTH * k;
    const head = this.#heads[(this.#places[at] ?? 0) - 1];
    if (head === undefined) return null;
    return { head, offset: this.#places[at + 1] ?? 0, size: this.#places[at + 2] ?? 0 };
  }
}

function follows(line: Buffer, at: number, text: Buffer): boolean {
  return line.compare(text, 0, text.length, at, at + text.length) === 0;
}
