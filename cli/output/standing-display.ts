import type { JudgingProgress } from '../../pipeline/judging/traffic-judge.ts';
import { plural } from '../../reports/report.ts';
import { printReport } from './print-report.ts';
import type { TrafficDisplay } from './traffic-display.ts';

/** Exchanges between two lines of a log. */
const EVERY = 1_000;

/**
 * Prints the progress of judging: redrawn in place on a terminal, one line per thousand exchanges in a log.
 * Violations go above it.
 */
export class StandingDisplay implements TrafficDisplay {
  readonly report = printReport;
  readonly #stream: NodeJS.WriteStream;
  #line = '';
  #thousands = 0;

  /** `stream`: the one that the command after `--` does not use. */
  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** The URL is a line for programs; the next one is for people. */
  listening(url: string, metrics: string | null): void {
    this.#stream.write(`${url}\n`);
    if (metrics !== null) process.stderr.write(`metrics: ${metrics}/metrics\n`);
    if (this.#stream === process.stdout) process.stderr.write(waitingLine(url));
  }

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

  violation(text: string): void {
    this.clear();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  warning(text: string): void {
    this.clear();
    process.stderr.write(`${text}\n`);
    this.#draw();
  }

  notices(text: string): void {
    process.stderr.write(text);
  }

  clear(): void {
    if (this.#stream.isTTY && this.#line !== '') this.#stream.write('\r\u001b[2K');
  }

  /** `\u001b[2K` clears the line: the new text may be shorter. */
  #draw(): void {
    if (this.#stream.isTTY && this.#line !== '') this.#stream.write(`\r\u001b[2K${this.#line}`);
  }
}

function waitingLine(url: string): string {
  return `Waiting for a client: give it this base URL, as in OPENAI_BASE_URL=${url} node client.mjs. Ctrl-C ends, and writes the report.\n`;
}
