import type { ReplayReport } from '../../proxy/replay/replay.ts';
import { plural, present } from '../../reports/words/text.ts';

/** Maximum number of recordings that are listed; the others are counted. */
const MAX_LISTED = 10;

export function replaySummary(report: ReplayReport): string {
  const { answered, unreadable, misses, unusedRecordings, leftoverCount, again } = report;
  const counts = present(
    // A miss that cannot be explained is unreadable without being counted as answered.
    `${plural(Math.max(0, answered - unreadable), 'request')} answered`,
    unreadable > 0 && `${unreadable} whose recording could not be read`,
    plural(misses.length, 'miss', 'misses'),
    `${leftoverCount} left over`,
  );
  const lines = [
    counts.join(', '),
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
