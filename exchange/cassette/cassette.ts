import { isMainThread } from 'node:worker_threads';
import { messageOf } from '../../schemas/error-message.ts';
import type { Exchange } from '../exchange.ts';
import type { Fingerprint } from '../matching/fingerprint.ts';
import { shellQuote } from '../shell-quote.ts';
import type { Note, TraceHeader, TraceItem } from '../trace.ts';
import type { BlobStore } from './blobs.ts';
import { CassetteError, damageError } from './cassette-error.ts';
import { entryKind } from './entries.ts';
import { makeTimingHeader } from './finish.ts';
import type { OpenFiles } from './finished-files.ts';
import { containsFile, recordingDir } from './folder.ts';
import { type LineSource, lineNumber, linesOf, tryParseLine } from './line-reader.ts';
import { noteOf, parseLines } from './line-shape.ts';
import type { HeaderLine, RequestLine, TimingHeader, TimingLine } from './lines.ts';
import { lockHolder } from './lock.ts';
import { openFiles } from './open-files.ts';
import { parseExchange, parseRecordedResponse, type RecordedResponse } from './parse-exchange.ts';
import { type CassetteIndex, type ScanOptions, scanCassette } from './scan.ts';
import { bufferedSpanReader, type ReadSpan, readSpan } from './span-reader.ts';
import { TimingFile } from './timing-file.ts';

const warnedFolders = new Set<string>();

/**
 * Verifies that `cassette.jsonl` is complete and unchanged, but reads no blob. Does not create, change, remove or lock
 * any file; an unfinished cassette is assembled in memory. Rejects with CassetteError if the cassette is missing, in
 * use, damaged or of another format, or if a file that it opens is not a regular file. Warns once per folder if the
 * recording was interrupted, unless that is expected.
 */
export async function openCassette(dir: string, options: OpenOptions = {}): Promise<Cassette> {
  const holder = findRecorder(dir);
  if (holder !== null) {
    const message = `${dir} is being recorded by process ${holder}. Wait for it to end, or end it.`;
    throw new CassetteError('in-use', message);
  }
  const cassette = openEvenInUse(dir, options);
  // The threads that judge open only what the main thread opens too, so one warning is enough.
  const mayWarn = options.isInterruptionExpected !== true && isMainThread && !warnedFolders.has(dir);
  if (!cassette.isFinished && mayWarn) {
    warnedFolders.add(dir);
    const message = `The recording in ${dir} was interrupted. Finish it: npx assay recover ${shellQuote(dir)}`;
    process.emitWarning(message, 'CassetteWarning');
  }
  return cassette;
}

interface OpenOptions extends ScanOptions {
  readonly isInterruptionExpected?: boolean;
}

export function openEvenInUse(dir: string, options?: ScanOptions): Cassette {
  const files = openFiles(dir);
  try {
    return new Cassette(dir, files, scanCassette(files.lines, options));
  } catch (error) {
    files.close();
    throw error;
  }
}

function findRecorder(dir: string): number | null {
  if (containsFile(dir, 'journal.jsonl')) return lockHolder(dir);
  const recording = recordingDir(dir);
  return !containsFile(dir, 'cassette.jsonl') && entryKind(recording) === 'folder'
    ? lockHolder(recording)
    : null;
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

interface SpanReaders {
  readonly lines: ReadSpan;
  readonly timing: ReadSpan;
}

const UNBUFFERED: SpanReaders = { lines: readSpan, timing: readSpan };

/** `before`: the number of the first exchange that began after the note; one above the last number if none did. */
export type PlacedNote = { readonly before: number } & Note;

export class Cassette {
  /** The folder of the cassette. */
  readonly dir: string;
  /** Context of the recording; the base URL comes from the timing file, if that states one. */
  readonly header: TraceHeader;
  readonly #index: CassetteIndex;
  readonly #files: OpenFiles;
  readonly #source: LineSource;
  readonly #timingFile: TimingFile | null;
  #isClosed = false;

  /** Takes over `files`, which `close` closes. Throws CassetteError if they do not belong together. */
  constructor(dir: string, files: OpenFiles, index: CassetteIndex) {
    const { e: _, ...header } = index.header;
    const { lines, timing } = files;
    this.dir = dir;
    this.#index = index;
    this.#files = files;
    this.#source = lines.source;
    this.#timingFile = timing && new TimingFile(timing, index.exchanges);
    const { target } = header;
    this.header = { ...header, target: { ...target, baseUrl: this.#timingFile?.baseUrl ?? target.baseUrl } };
  }

  /** False if the recording was interrupted, or has not ended. */
  get isFinished(): boolean {
    return this.#files.isFinished;
  }

  /** Number of exchanges. */
  get size(): number {
    return this.#index.exchanges;
  }

  /**
   * All exchanges in the order in which they ended, read one at a time, with the notes between them. `isWanted` selects
   * exchanges by index in the order in which they began, from 0.
   */
  async *items(isWanted: (k: number) => boolean = () => true): AsyncGenerator<TraceItem> {
    const { exchanges, ended, noteSpans } = this.#index;
    const byEnd = new Uint32Array(exchanges + 1);
    for (let k = 0; k < exchanges; k += 1) byEnd[ended[k] ?? 0] = k;
    const readers: SpanReaders = { lines: bufferedSpanReader(), timing: bufferedSpanReader() };
    let n = 0;
    for (let end = 0; end <= exchanges; end += 1) {
      const k = byEnd[end] ?? 0;
      if (end > 0 && isWanted(k)) yield this.#exchange(k, readers);
      for (; (noteSpans[n]?.[2] ?? Number.POSITIVE_INFINITY) <= end; n += 1) yield this.#note(n);
    }
  }

  /** The k-th exchange by start, from 0. */
  exchange(k: number): Exchange {
    return this.#exchange(k, UNBUFFERED);
  }

  /**
   * The response of the k-th exchange, as in `exchange` but cheaper if the cassette was opened for replay. The body is
   * valid as long as the bytes that `read` returns.
   */
  answer(k: number, read: ReadSpan = readSpan): RecordedResponse {
    const place = this.#index.replay?.response(k) ?? null;
    if (place === null) return this.exchange(k);
    try {
      const timing = this.#timingFile?.line(k, this.#timingFile.bufferedReader()) ?? null;
      const body = read(this.#source, place.offset, place.size);
      if (body.length === place.size) return parseRecordedResponse(k, place.head, body, timing);
      throw new Error('the file is shorter than it was when it was opened');
    } catch (error) {
      throw this.#readError(k, error);
    }
  }

  #exchange(k: number, readers: SpanReaders): Exchange {
    try {
      const lines = parseLines(this.#span(k, readers.lines));
      const timing = this.#timingFile?.line(k, readers.timing) ?? null;
      return parseExchange(lines, timing, this.#files.blobs, (error) => this.#readError(k, error));
    } catch (error) {
      throw this.#readError(k, error);
    }
  }

  #readError(k: number, error: unknown): CassetteError {
    // The body of a form is decoded while its exchange is read, so its error already has the place.
    if (error instanceof CassetteError && error.message.includes(`: exchange e${k + 1}: `)) return error;
    // Bodies are decoded on first use, perhaps after `close`.
    const line = this.#isClosed ? '' : `:${lineNumber(this.#source, this.#index.offsets[k] ?? 0)}`;
    const message = `${this.#files.lines.file}${line}: exchange e${k + 1}: ${messageOf(error)}`;
    return error instanceof CassetteError
      ? new CassetteError(error.kind, message, error)
      : damageError('malformed', message, error);
  }

  /** The stored lines of the k-th exchange by start, from 0. */
  lines(k: number): Buffer {
    return this.#span(k, readSpan);
  }

  #span(k: number, read: ReadSpan): Buffer {
    return read(this.#source, this.#index.offsets[k] ?? 0, this.#index.lengths[k] ?? 0);
  }

  /** Line number, from 1, of the first line of each exchange, found in one pass. */
  firstLines(): Float64Array {
    const { offsets } = this.#index;
    const numbers = new Float64Array(this.size);
    let [k, n] = [0, 0];
    for (const { offset } of linesOf(this.#source)) {
      n += 1;
      if (offset === offsets[k]) {
        numbers[k] = n;
        k += 1;
      }
    }
    return numbers;
  }

  /** When the k-th exchange began, in milliseconds since 1970; 0 without the timing file. */
  began(k: number): number {
    return this.timing(k)?.began ?? 0;
  }

  /** The first line of `cassette.jsonl`. */
  get headerLine(): HeaderLine {
    return this.#index.header;
  }

  /** A header for `timing.jsonl`; null without the file. */
  get timingHeader(): TimingHeader | null {
    return this.#timingFile && makeTimingHeader(this.header.target.baseUrl);
  }

  /** Arrival times of the k-th exchange; null without the timing file. */
  timing(k: number): TimingLine | null {
    return this.#timingFile?.line(k, readSpan) ?? null;
  }

  /** Bodies that are stored outside the lines. */
  get blobs(): Pick<BlobStore, 'pieces'> {
    return this.#files.blobs;
  }

  /** How many exchanges had ended when the k-th began, and its position in the order in which they ended. */
  order(k: number): { readonly after: number; readonly ended: number } {
    return { after: this.#index.after[k] ?? 0, ended: this.#index.ended[k] ?? 0 };
  }

  /** All notes, in the order of the file. */
  placedNotes(): PlacedNote[] {
    const { noteSpans, offsets } = this.#index;
    let k = 0;
    return noteSpans.map(([offset], n) => {
      while (k < this.size && (offsets[k] ?? 0) < offset) k += 1;
      return { before: k + 1, ...this.#note(n) };
    });
  }

  /** Match key of the k-th request: 16 characters. */
  key(k: number): string {
    return this.#index.keys.toString('latin1', k * 16, k * 16 + 16);
  }

  /** Fingerprint of the k-th request; null if it has none, or the cassette was not opened for replay. */
  fingerprint(k: number): Fingerprint | null {
    return this.#index.replay?.fingerprint(k) ?? null;
  }

  /** Whether the recorder ended before the k-th exchange did. */
  isKilled(k: number): boolean {
    return this.#index.killed[k] === 1;
  }

  /** The stored line of the k-th request. */
  request(k: number): RequestLine {
    try {
      const bytes = this.lines(k);
      const [line] = parseLines(bytes.subarray(0, bytes.indexOf('\n')));
      if (line?.e === 'request') return line;
      throw new Error('it does not begin with a request');
    } catch (error) {
      throw this.#readError(k, error);
    }
  }

  /** Closes the files; only exchanges that were read before stay readable. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#files.close();
  }

  #note(n: number): Note {
    const [offset, length] = this.#index.noteSpans[n] ?? [0, 0];
    const note = noteOf(tryParseLine(readSpan(this.#source, offset, length)));
    if (note !== null) return note;
    const place = `${this.#files.lines.file}:${lineNumber(this.#source, offset)}`;
    const message = `${place} is not a note that this version of assay can read: another version wrote it, or it was changed`;
    throw damageError('malformed', message);
  }
}
