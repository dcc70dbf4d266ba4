import { truncateText } from '../../exchange/printable.ts';
import type { RunEvent } from '../../pipeline/run.ts';
import {
  isLoggedWait,
  progressBar,
  progressLine,
  type RateLimitWaits,
  type RunProgress,
  rateLimitLine,
} from '../../reports/terminal/progress.ts';
import { coloursFor } from '../../reports/words/layout.ts';
import { columnsOf } from './print-report.ts';
import { runNotice } from './run-notices.ts';

export class ProgressDisplay {
  readonly #stream: NodeJS.WriteStream;
  readonly #colours: 'on' | 'off';
  /** The last progress printed; a log only gets a line after enough change. */
  #shown: RunProgress | null = null;
  #total = 0;
  #waits: RateLimitWaits = { count: 0, seconds: 0, why: '' };
  /** Whether the last line of a terminal is one that is redrawn. */
  #isDrawn = false;

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
    if (event.kind === 'rate-limited') this.#wait(event);
    const lines = runNotice(event, columnsOf(this.#stream) ?? undefined);
    if (event.kind === 'driven' || lines.length > 0) this.clear();
    if (lines.length > 0) this.#stream.write(`${lines.join('\n')}\n`);
  }

  clear(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001b[2K');
    this.#isDrawn = false;
  }

  #draw(now: RunProgress): void {
    const line = progressLine(this.#shown, now);
    if (this.#stream.isTTY) this.#redraw(progressBar(now, this.#stream.columns, coloursFor(this.#colours)));
    else if (line !== null) this.#stream.write(`${line}\n`);
    this.#shown = now;
  }

  /** One line that counts on: a limited target may ask for hundreds of waits. */
  #wait({ why, most }: { readonly why: string; readonly most: number }): void {
    const { count, seconds } = this.#waits;
    this.#waits = { count: count + 1, seconds: seconds + most, why };
    const line = rateLimitLine(this.#waits);
    // Some terminals wrap a line that fills them.
    if (this.#stream.isTTY) this.#redraw(truncateText(line, this.#stream.columns - 1));
    else if (isLoggedWait(this.#waits)) this.#stream.write(`${line}\n`);
  }

  #redraw(line: string): void {
    this.#stream.write(`\r\u001b[2K${line}`);
    this.#isDrawn = true;
  }
}
