import type { JudgingProgress } from '../../pipeline/judging/trace-judge.ts';
import { plural } from '../../reports/report.ts';

/** Exchanges between two lines, where the progress cannot be redrawn in place. */
const EVERY = 1_000;

/** Prints the progress of judging: redrawn in place on a terminal, one line per thousand exchanges in a log; violations above it. */
export class StandingDisplay {
  readonly #stream: NodeJS.WriteStream;
  /** The line on the terminal; empty until the first exchange was judged. */
  #line = '';
  /** Thousands of exchanges that a log already has a line for. */
  #thousands = 0;

  /** `stream`: the one that does not belong to the command given after `--`. */
  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** Updates the progress. */
  show({ exchanges, broken, warned }: JudgingProgress): void {
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
  above(text: string): void {
    this.clear();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  /** Prints a warning on stderr, and the progress again below it. */
  warn(text: string): void {
    this.clear();
    process.stderr.write(`${text}\n`);
    this.#draw();
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
