import type { WatchResult } from '../../pipeline/watch.ts';
import { quarantineWords } from '../../proxy/record/recorder-words.ts';
import { plural } from '../../reports/report.ts';
import { unreachable } from '../../reports/words/gate-reason.ts';
import { present } from '../../reports/words/text.ts';
import { noTrafficHint } from './serving.ts';

/**
 * Reports losses of a watch: traffic beyond the limits of disk and memory, unrecorded connections, skipped
 * exchanges; also a watch without traffic or responses. `code`: the command's exit code.
 */
export function watchNotices(watched: WatchResult, code = 0): string {
  const { recorded, beyondLimit, diskFailed, upgraded, starved, forgotten, quarantined } = watched;
  const judged = watched.learnedLate
    ? 'and because a secret became known late, only stored exchanges are judged'
    : 'and judged';
  // Each line names the option or event behind the loss: the exit code alone does not show that the judgement
  // is incomplete.
  const lines = present(
    beyondLimit > 0 &&
      `the first ${plural(recorded, 'exchange')} are stored, ${beyondLimit} more passed beyond --max-disk, ${judged}`,
    diskFailed > 0 &&
      `${plural(diskFailed, 'exchange')} passed unrecorded: the cassette could not be written`,
    upgraded > 0 && `${plural(upgraded, 'connection')} (upgrade or CONNECT) neither recorded nor judged`,
    starved > 0 &&
      `${plural(starved, 'request')} not forwarded, and more may have been refused, as too many files are open: raise ulimit -n`,
    forgotten > 0 &&
      `${plural(forgotten, 'state')} dropped because of --max-memory: evidence that spans long times may be lost`,
    recorded + beyondLimit + diskFailed + upgraded === 0 && noTrafficHint(code),
    watched.unreachable !== null && unreachable(watched.upstream, watched.unreachable),
    quarantined !== null && quarantineWords(quarantined),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** Whether everything was stored, except beyond a limit that the user set; otherwise the exit code is 1. */
export function isWatchWhole({ diskFailed, upgraded, starved, quarantined }: WatchResult): boolean {
  return diskFailed + upgraded + starved === 0 && quarantined === null;
}
