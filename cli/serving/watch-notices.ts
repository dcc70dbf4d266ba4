import type { WatchResult } from '../../pipeline/watch.ts';
import { quarantineWords } from '../../proxy/record/recorder-words.ts';
import { plural } from '../../reports/report.ts';
import { unreachable } from '../../reports/words/gate-reason.ts';
import { noTrafficHint } from './serving.ts';

/**
 * Lines on the losses of a watch: traffic beyond the bounds of disk and memory, unrecorded connections, left-out exchanges;
 * and on a watch without traffic, or without a response of the service. `code` is the exit code of the command.
 */
export function watchNotices(watched: WatchResult, code = 0): string {
  const { kept, beyondLimit, diskFailed, upgraded, forgotten, learnedLate, quarantined, silence, upstream } =
    watched;
  const judged = learnedLate
    ? 'and because a secret became known late, only stored exchanges are judged'
    : 'and judged';
  // Each line names the option or the event that caused the loss, since the exit code alone does not show an
  // incomplete judgement.
  const lines = [
    ...(beyondLimit === 0
      ? []
      : [
          `the first ${plural(kept, 'exchange')} are stored, ${beyondLimit} more passed beyond --max-disk, ${judged}`,
        ]),
    ...(diskFailed === 0
      ? []
      : [`${plural(diskFailed, 'exchange')} passed unrecorded: the cassette could not be written`]),
    ...(upgraded === 0
      ? []
      : [`${plural(upgraded, 'connection')} (upgrade or CONNECT) neither recorded nor judged`]),
    ...(forgotten === 0
      ? []
      : [
          `${plural(forgotten, 'state')} dropped because of --max-memory: evidence that spans long times may be lost`,
        ]),
    ...(kept + beyondLimit + diskFailed + upgraded === 0 ? [noTrafficHint(code)] : []),
    ...(silence === null ? [] : [unreachable(upstream, silence)]),
    ...(quarantined === null ? [] : [quarantineWords(quarantined)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Whether everything that passed is in the cassette or beyond the bound that the user set; otherwise the command exits with 1. */
export function isWatchWhole({ diskFailed, upgraded, quarantined }: WatchResult): boolean {
  return diskFailed + upgraded === 0 && quarantined === null;
}
