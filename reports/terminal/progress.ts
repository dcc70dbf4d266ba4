import { printable } from '../../exchange/printable.ts';
import type { Colours } from '../words/layout.ts';
import { plural } from '../words/text.ts';

export interface RunProgress {
  /** Scenarios that have ended, of `total` selected ones. */
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  readonly latest: string | null;
}

/** Waits that the target asked for, by 429 or `Retry-After`. */
export interface RateLimitWaits {
  readonly count: number;
  /** The longest that all of them may take. */
  readonly seconds: number;
  /** The answer that asked for the last one. */
  readonly why: string;
}

const WIDTH = 24;

/** `[======------] 12/40 scenarios, 310 requests  chat.stream`, redrawn in place. */
export function progressBar(progress: RunProgress, columns: number, paint: Colours): string {
  const filled = progress.total === 0 ? 0 : Math.round((WIDTH * progress.done) / progress.total);
  const bar = `[${'='.repeat(filled)}${'-'.repeat(WIDTH - filled)}]`;
  const text = ` ${progress.done}/${progress.total} scenarios, ${progress.requests} requests  ${printable(progress.latest ?? '')}`;
  // Some terminals wrap a line that fills them.
  const room = Math.max(columns - 1, 10);
  return room < WIDTH + 12
    ? `${progress.done}/${progress.total}`.slice(0, room)
    : paint.cyan(bar) + text.slice(0, room - bar.length).trimEnd();
}

/** One line per tenth of the total; null in between. */
export function progressLine(before: RunProgress | null, now: RunProgress): string | null {
  const tenth = ({ done, total }: RunProgress) => (total === 0 ? 0 : Math.floor((10 * done) / total));
  if (before !== null && tenth(before) === tenth(now)) return null;
  return `${now.done} of ${now.total} scenarios, ${now.requests} requests`;
}

/** `rate-limited: the target asked for 12 waits, at most 48 s in all; it answers 429 to createRun`. */
export function rateLimitLine({ count, seconds, why }: RateLimitWaits): string {
  return `rate-limited: the target asked for ${plural(count, 'wait')}, at most ${seconds} s in all; ${printable(why)}`;
}

/** Whether a log gets a line: for a count of 1, 2, 4, 8. */
export function isLoggedWait({ count }: Pick<RateLimitWaits, 'count'>): boolean {
  return Number.isInteger(Math.log2(count));
}
