import type { ReplayReport } from '../../proxy/replay/replay.ts';
import { plural } from '../../reports/report.ts';

/** Unused recordings that are printed by name; the others are counted. */
const NAMED = 10;

/** The lines that end a replay: counts of answers, misses and unused recordings, and the first unused ones. */
export function replaySummary({ answered, misses, unusedRecordings, leftoverCount }: ReplayReport): string {
  const lines = [
    `${plural(answered, 'request')} answered, ${plural(misses.length, 'miss', 'misses')}, ${leftoverCount} left over`,
    ...unusedRecordings
      .slice(0, NAMED)
      .map(
        ({ cassette, exchange, method, target }) =>
          `  never requested: ${method} ${target} (${exchange} of ${cassette})`,
      ),
  ];
  if (leftoverCount > NAMED) lines.push(`  … and ${leftoverCount - NAMED} more`);
  return lines.join('\n');
}
