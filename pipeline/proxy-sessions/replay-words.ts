import type { ReplayReport } from '../../proxy/replay/replay.ts';
import { compact, plural } from '../../schemas/message-text.ts';

const MAX_LISTED = 10;

export function replaySummary(report: ReplayReport): string {
  const { answered, unreadable, misses, unusedRecordings, leftoverCount, again } = report;
  const counts = compact(
    `${plural(answered - unreadable, 'request')} answered`,
    unreadable > 0 && `${unreadable} whose recording could not be read`,
    plural(misses.length, 'miss', 'misses'),
    `${leftoverCount} left over`,
  );
  const unused = unusedRecordings.map(
    ({ cassette, exchange, method, target }) =>
      `  never requested: ${method} ${target} (${exchange} of ${cassette})`,
  );
  // Without a request, nothing shows what clients no longer request.
  const isUsed = answered > 0 || misses.length > 0;
  return compact(
    counts.join(', '),
    ...unused.slice(0, MAX_LISTED),
    leftoverCount > MAX_LISTED && `  … and ${leftoverCount - MAX_LISTED} more`,
    isUsed &&
      again !== null &&
      `  to remove what no client requests any more, record again without --mode new: ${again}`,
  ).join('\n');
}
