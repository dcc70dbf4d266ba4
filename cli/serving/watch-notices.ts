import { sawTraffic } from '../../pipeline/proxy-sessions/record-words.ts';
import type { WatchResult } from '../../pipeline/watch.ts';
import { quarantineWords } from '../../proxy/record/recorder-words.ts';
import { unreachableWords } from '../../reports/words/stop.ts';
import { compact, plural } from '../../schemas/message-text.ts';
import { runNotice } from '../output/run-notices.ts';
import { noTrafficHint } from './serving.ts';

export function watchNotices(result: WatchResult, code = 0): string {
  const { recorded, beyondLimit, diskFailed, upgraded, starved, forgotten, quarantined, keptFolder } = result;
  const judgedWords = result.learnedLate
    ? 'not judged, because a secret became known late'
    : 'judged but not stored';
  const lines = compact(
    beyondLimit > 0 &&
      `the first ${plural(recorded, 'exchange is', 'exchanges are')} stored; ${beyondLimit} more, beyond --max-disk, were ${judgedWords}`,
    diskFailed > 0 &&
      `${plural(diskFailed, 'exchange')} passed unrecorded: the cassette could not be written`,
    upgraded > 0 && `${plural(upgraded, 'connection')} (upgrade or CONNECT) neither recorded nor judged`,
    starved > 0 &&
      `${plural(starved, 'request')} not forwarded, and more may have been refused, as too many files are open: raise ulimit -n`,
    forgotten > 0 &&
      `${plural(forgotten, 'state')} dropped because of --max-memory: evidence that spans a long time may be lost`,
    !sawTraffic(result) && noTrafficHint(code),
    ...(keptFolder === null ? [] : runNotice({ kind: 'earlier-report-kept', reportDir: keptFolder })),
    result.unreachable !== null && unreachableWords(result.upstream, result.unreachable),
    quarantined !== null && quarantineWords(quarantined),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * Whether all traffic up to `--max-disk` was recorded and no request lacked a file descriptor. If not, the exit code is
 * 1 unless the command or the verdict sets another one.
 */
export function isWatchWhole({ diskFailed, upgraded, starved, quarantined }: WatchResult): boolean {
  return diskFailed + upgraded + starved === 0 && quarantined === null;
}
