import type { ReplayReport } from '../../proxy/replay/replay.ts';
import { plural } from '../../reports/words/text.ts';

/** Maximum number of recordings that are listed; the others are counted. */
const MAX_LISTED = 10;

export function replaySummary(report: ReplayReport): string {
  const { answered, misses, unusedRecordings, leftoverCount, again } = report;
  const lines = [
    `${plural(answered, 'request')} answered, ${plural(misses.length, 'miss', 'misses')}, ${leftoverCount} left over`,
    ...unusedRecordings
      .slice(0, MAX_LISTED)
      .map(
        ({ cassette, exchange, method, target }) =>
          `  never requested: ${method} ${target} (${exchange} of ${cassette})`,
      ),
  ];
  if (leftoverCount > MAX_LISTED) lines.push(`  … and ${leftoverCount - MAX_LISTED} more`);
  if (again !== null)
    lines.push(`  to remove what no client requests any more, record again without --mode new: ${again}`);
  return lines.join('\n');
}
