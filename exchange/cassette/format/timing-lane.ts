import { CassetteError } from '../error.ts';
import { type LineSource, linesOf, type ReadSpan, readSpan } from '../read/file-lines.ts';
import type { TimingHeader, TimingLine } from './lines.ts';

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
