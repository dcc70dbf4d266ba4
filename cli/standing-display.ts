import type { JudgingProgress } from '../pipeline/judging/judge-messages.ts';
import { plural } from '../reports/report.ts';

/** A line on how the judgement stands after each so many exchanges, where it cannot be drawn in place. */
const EVERY = 1_000;

/** How the judgement stands, drawn in place on a terminal, as a line now and then in a log; violations stand above it. */
export class StandingDisplay {
  readonly #stream: NodeJS.WriteStream;
  #line = '';
  #thousands = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

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

  /** Prints a text, and the line again below it. */
  above(text: string): void {
    this.clear();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  /** Prints a warning on stderr at once, and the line again below it. */
  warn(text: string): void {
    this.clear();
    process.stderr.write(`${text}\n`);
    this.#draw();
  }

  clear(): void {
    if (this.#stream.isTTY && this.#line !== '') this.#stream.write('\r\u001b[2K');
  }

  #draw(): void {
    if (this.#stream.isTTY && this.#line !== '') this.#stream.write(`\r\u001b[2K${this.#line}`);
  }
}
