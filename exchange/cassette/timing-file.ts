import { isObject } from '../../schemas/json.ts';
import { plural } from '../../schemas/message-text.ts';
import { CassetteError } from './cassette-error.ts';
import { type LineSource, linesOf, tryParseLine } from './line-reader.ts';
import { isTimingLine } from './line-shape.ts';
import type { TimingLine } from './lines.ts';
import type { CassetteFile } from './scan.ts';
import { type ReadSpan, readSpan } from './span-reader.ts';

const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;

/** The timing file: the values that differ between recordings, such as times. A cassette can be read without it. */
export class TimingFile {
  readonly baseUrl: string | null;
  readonly #file: string;
  readonly #source: LineSource;
  readonly #offsets: Float64Array;
  #content: Buffer | null = null;

  constructor({ file, source }: CassetteFile, exchanges: number) {
    const offsets = new Float64Array(exchanges + 1);
    let lineCount = 0;
    let isWhole = true;
    for (const line of linesOf(source)) {
      if (lineCount > 0 && lineCount <= exchanges) offsets[lineCount - 1] = line.offset;
      if (lineCount <= exchanges) offsets[exchanges] = line.offset + line.bytes.length + 1;
      lineCount += 1;
      isWhole = line.isWhole;
    }
    if (!isWhole || lineCount !== exchanges + 1)
      throw new CassetteError(
        'torn',
        `${file} does not fit its cassette of ${plural(exchanges, 'exchange')}. Restore it from version control, or delete it: only values that differ between recordings are lost, such as times.`,
      );
    this.#file = file;
    this.#source = source;
    this.#offsets = offsets;
    const header = tryParseLine(readSpan(source, 0, offsets[0] ?? 0));
    const baseUrl = isObject(header) ? header['baseUrl'] : null;
    this.baseUrl = typeof baseUrl === 'string' ? baseUrl : null;
  }

  line(k: number, read: ReadSpan): TimingLine {
    const from = this.#offsets[k] ?? 0;
    const bytes = read(this.#source, from, (this.#offsets[k + 1] ?? from) - from);
    try {
      const line: unknown = JSON.parse(bytes.toString());
      if (isTimingLine(line) && line.i === k + 1) return line;
    } catch {
      // A line that is not JSON is treated like the line of another exchange.
    }
    throw new CassetteError(
      'malformed',
      `${this.#file}:${k + 2} is not the timing of e${k + 1}. Restore or delete the file.`,
    );
  }

  bufferedReader(): ReadSpan {
    const size = this.#offsets.at(-1) ?? 0;
    if (size > MAX_BUFFERED_BYTES) return readSpan;
    this.#content ??= readSpan(this.#source, 0, size);
    const content = this.#content;
    return (_, offset, length) => content.subarray(offset, offset + length);
  }
}
