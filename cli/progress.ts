import { paint } from '../reports/paint.ts';
import { type Progress, progressBar, progressLine } from '../reports/progress.ts';

/** Shows how far a run is, on stderr: a bar drawn in place on a terminal, plain lines in a log. */
export class ProgressDisplay {
  readonly #stream: NodeJS.WriteStream;
  readonly #colours: 'on' | 'off';
  #shown: Progress | null = null;

  constructor(stream: NodeJS.WriteStream, colours: 'on' | 'off') {
    this.#stream = stream;
    this.#colours = colours;
  }

  show(now: Progress): void {
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\u001b[2K${progressBar(now, this.#stream.columns, paint(this.#colours))}`);
    } else {
      const line = progressLine(this.#shown, now);
      if (line !== null) this.#stream.write(`${line}\n`);
    }
    this.#shown = now;
  }

  /** Takes the bar away, so that the report stands on a clean line. */
  clear(): void {
    if (this.#stream.isTTY && this.#shown !== null) this.#stream.write('\r\u001b[2K');
  }
}
