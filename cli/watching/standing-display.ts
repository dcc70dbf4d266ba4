import type { JudgingProgress } from '../../pipeline/judging/traffic-judge.ts';
import { plural } from '../../reports/report.ts';
import { printReport } from '../print-report.ts';
import type { TrafficDisplay } from './traffic-display.ts';

/** Exchanges between two lines, where the progress cannot be redrawn in place. */
const EVERY = 1_000;

/** Prints the progress of judging: redrawn in place on a terminal, one line per thousand exchanges in a log; violations above it. */
export class StandingDisplay implements TrafficDisplay {
  readonly report = printReport;
  readonly #stream: NodeJS.WriteStream;
  /** The line on the terminal; empty until the first exchange was judged. */
  #line = '';
  /** Thousands of exchanges that a log already has a line for. */
  #thousands = 0;

  /** `stream`: the one that does not belong to the command given after `--`. */
  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** The URL as a line, for programs; then a line for people where nothing sends requests yet. */
  listening(url: string, metrics: string | null): void {
    this.#stream.write(`${url}\n`);
    if (metrics !== null) process.stderr.write(`metrics: ${metrics}/metrics\n`);
    if (this.#stream === process.stdout) process.stderr.write(waitingLine(url));
  }

  /** Updates the progress. */
  standing({ exchanges, broken, warned }: JudgingProgress): void {
    const line = `${plural(exchanges, 'exchange')} judged, ${plural(broken, 'MUST')} and ${plural(warned, 'SHOULD')} broken`;
    if (this.#stream.isTTY) {
      this.#line = line;
      this.#draw();
    } else if (Math.floor(exchanges / EVERY) > this.#thousands) {
      this.#thousands = Math.floor(exchanges / EVERY);
      this.#stream.write(`${line}\n`);
    }
  }

  /** Prints a text, and the progress again below it. */
  violation(text: string): void {
    this.clear();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  /** Prints a warning on stderr, and the progress again below it. */
  warning(text: string): void {
    this.clear();
    process.stderr.write(`${text}\n`);
    this.#draw();
  }

  /** Prints lines on stderr. */
  notices(text: string): void {
    process.stderr.write(text);
  }

  /** Removes the progress from the terminal. */
  clear(): void {
    if (this.#stream.isTTY && this.#line !== '') this.#stream.write('\r\u001b[2K');
  }

  /** `\u001b[2K` clears the line first, because the new text may be shorter than the old one. */
  #draw(): void {
    if (this.#stream.isTTY && this.#line !== '') this.#stream.write(`\r\u001b[2K${this.#line}`);
  }
}

/** A line for people: the proxy waits, and for whom. */
function waitingLine(url: string): string {
  return `Waiting for a client: give it this base URL, as in OPENAI_BASE_URL=${url} node client.mjs. Ctrl-C ends, and writes the report.\n`;
}
