import { join } from 'node:path';
import { messageOf } from '../../../schemas/error-message.ts';
import type { Exchange } from '../../exchange.ts';
import type { Fingerprint } from '../../matching/fingerprint.ts';
import type { Note, TraceHeader, TraceItem } from '../../trace.ts';
import { CassetteError } from '../error.ts';
import { isTimingLine, parseLines, parseNote } from '../format/line-shape.ts';
import type { HeaderLine, RequestLine, TimingHeader, TimingLine } from '../format/lines.ts';
import { parseExchange } from '../format/parse-exchange.ts';
import { parseRecordedResponse, type RecordedResponse } from '../format/recorded-response.ts';
import { TimingLane } from '../format/timing-lane.ts';
import { openFiles } from '../journal/unfinished.ts';
import type { BlobStore } from '../write/blob-store.ts';
import { entryKind } from '../write/entry.ts';
import { lockedBy } from '../write/lock.ts';
import { recordingDir } from '../write/places.ts';
import { type CassetteIndex, type ScanOptions, scanCassette } from './cassette-index.ts';
import { bufferedSpanReader, type LineSource, linesOf, type ReadSpan, readSpan } from './file-lines.ts';
import type { OpenFiles } from './opened.ts';

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
