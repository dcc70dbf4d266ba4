import type { RunEvent } from '../../pipeline/run.ts';
import { progressBar, progressLine, type RunProgress } from '../../reports/terminal/progress.ts';
import { coloursFor } from '../../reports/words/layout.ts';
import { columnsOf } from './print-report.ts';
import { runNotice } from './run-notices.ts';

export class ProgressDisplay {
  readonly #stream: NodeJS.WriteStream;
  readonly #colours: 'on' | 'off';
  /** The last progress printed; a log only gets a line after enough change. */
  #shown: RunProgress | null = null;
  #total = 0;

  /** `stream`: normally stderr, because stdout has the report. */
  constructor(stream: NodeJS.WriteStream, colours: 'on' | 'off') {
    this.#stream = stream;
    this.#colours = colours;
  }

  show(event: RunEvent): void {
    if (event.kind === 'selected') this.#total = event.run;
    if (event.kind === 'ended') {
      const { done, scenario: latest, spent } = event;
      this.#draw({ done, total: this.#total, requests: spent.requests, latest });
    }
    const lines = runNotice(event, columnsOf(this.#stream) ?? undefined);
    if (event.kind === 'driven' || lines.length > 0) this.clear();
    if (lines.length > 0) this.#stream.write(`${lines.join('\n')}\n`);
  }

  clear(): void {
    if (this.#stream.isTTY && this.#shown !== null) this.#stream.write('\r\u001b[2K');
  }

  #draw(now: RunProgress): void {
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\u001b[2K${progressBar(now, this.#stream.columns, coloursFor(this.#colours))}`);
    } else {
      const line = progressLine(this.#shown, now);
      if (line !== null) this.#stream.write(`${line}\n`);
    }
    this.#shown = now;
  }
}
