import { printable, truncateText } from '../../exchange/printable.ts';
import type { RunEvent } from '../../pipeline/run.ts';
import { type Colours, coloursFor } from '../../reports/words/colours.ts';
import { plural } from '../../schemas/message-text.ts';
import { runNotice } from './run-notices.ts';
import { columnsOf } from './terminal.ts';

export interface RunProgress {
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  readonly latest: string | null;
}

const BAR_WIDTH = 24;
/** Minimum width of the text after the bar; a narrower terminal shows only the count. */
const MIN_TEXT_WIDTH = 10;
/** Width of a terminal that does not tell its size. */
const USUAL_COLUMNS = 80;

/** Returns `[======------] 12/40 scenarios, 310 requests  chat.stream`; only `12/40` for a narrow terminal. */
export function progressBar(progress: RunProgress, columns: number, paint: Colours): string {
  const filled = progress.total === 0 ? 0 : Math.round((BAR_WIDTH * progress.done) / progress.total);
  const bar = `[${'='.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
  const text = ` ${progress.done}/${progress.total} scenarios, ${progress.requests} requests  ${printable(progress.latest ?? '')}`;
  const room = lineRoom(columns);
  return room < bar.length + MIN_TEXT_WIDTH
    ? `${progress.done}/${progress.total}`.slice(0, room)
    : paint.cyan(bar) + text.slice(0, room - bar.length).trimEnd();
}

/** Some terminals wrap a line that fills them. */
function lineRoom(columns: number): number {
  return Math.max(columns - 1, 10);
}

/** The next line of a log: one for the first scenario and for each tenth of the total, null in between. */
export function progressLine(before: RunProgress | null, now: RunProgress): string | null {
  const tenth = ({ done, total }: RunProgress) => (total === 0 ? 0 : Math.floor((10 * done) / total));
  if (before !== null && tenth(before) === tenth(now)) return null;
  return `${now.done} of ${now.total} scenarios, ${now.requests} requests`;
}

export class ProgressDisplay {
  readonly #stream: NodeJS.WriteStream;
  readonly #colours: 'on' | 'off';
  #previous: RunProgress | null = null;
  #total = 0;
  /** The waits that the target asked for, by 429 or `Retry-After`; `seconds` is an upper bound of their sum. */
  readonly #waits = { count: 0, seconds: 0 };
  #isDrawn = false;

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
    if (event.kind === 'rate-limited') this.#showWait(event);
    const lines = runNotice(event, columnsOf(this.#stream));
    if (event.kind === 'driven' || lines.length > 0) this.clear();
    if (lines.length > 0) this.#stream.write(`${lines.join('\n')}\n`);
  }

  clear(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001b[2K');
    this.#isDrawn = false;
  }

  #draw(now: RunProgress): void {
    const line = progressLine(this.#previous, now);
    if (this.#stream.isTTY) this.#redraw(progressBar(now, this.#columns(), coloursFor(this.#colours)));
    else if (line !== null) this.#stream.write(`${line}\n`);
    this.#previous = now;
  }

  /** Shows the total of waits instead of each one, of which a run may have hundreds; in a log at each power of two. */
  #showWait({ why, most }: { readonly why: string; readonly most: number }): void {
    this.#waits.count += 1;
    this.#waits.seconds += most;
    const { count, seconds } = this.#waits;
    const line = `rate-limited: the target asked for ${plural(count, 'wait')}, at most ${seconds} s in all; ${printable(why)}`;
    if (this.#stream.isTTY) this.#redraw(truncateText(line, lineRoom(this.#columns())));
    else if (Number.isInteger(Math.log2(count))) this.#stream.write(`${line}\n`);
  }

  #columns(): number {
    return columnsOf(this.#stream) ?? USUAL_COLUMNS;
  }

  #redraw(line: string): void {
    this.#stream.write(`\r\u001b[2K${line}`);
    this.#isDrawn = true;
  }
}
