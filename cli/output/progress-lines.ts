import { printable } from '../../exchange/printable.ts';
import type { Colours } from '../../reports/words/colours.ts';

export interface RunProgress {
  /** Scenarios that have ended, of `total` selected ones. */
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  readonly latest: string | null;
}

const BAR_WIDTH = 24;
/** Minimum width of the text after the bar; a narrower terminal shows only the count. */
const MIN_TEXT_WIDTH = 12;

/** Returns `[======------] 12/40 scenarios, 310 requests  chat.stream`; only `12/40` for a narrow terminal. */
export function progressBar(progress: RunProgress, columns: number, paint: Colours): string {
  const filled = progress.total === 0 ? 0 : Math.round((BAR_WIDTH * progress.done) / progress.total);
  const bar = `[${'='.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
  const text = ` ${progress.done}/${progress.total} scenarios, ${progress.requests} requests  ${printable(progress.latest ?? '')}`;
  // Some terminals wrap a line that fills them.
  const room = Math.max(columns - 1, 10);
  return room < BAR_WIDTH + MIN_TEXT_WIDTH
    ? `${progress.done}/${progress.total}`.slice(0, room)
    : paint.cyan(bar) + text.slice(0, room - bar.length).trimEnd();
}

/** The next line of a log: one per tenth of the total, null in between. */
export function progressLine(before: RunProgress | null, now: RunProgress): string | null {
  const tenth = ({ done, total }: RunProgress) => (total === 0 ? 0 : Math.floor((10 * done) / total));
  if (before !== null && tenth(before) === tenth(now)) return null;
  return `${now.done} of ${now.total} scenarios, ${now.requests} requests`;
}
