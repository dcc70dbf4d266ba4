import type { WatchResult } from '../../pipeline/watch.ts';
import { quarantineWords } from '../../proxy/record/recorder-words.ts';
import { plural } from '../../reports/report.ts';
import { unreachable } from '../../reports/words/stop.ts';
import { NO_TRAFFIC_HINT } from '../serving.ts';

/**
 * Lines on the losses of a watch: traffic beyond the bounds of disk and memory, unrecorded connections, left-out exchanges;
 * and on a watch without traffic, or without a response of the service.
 */
export function watchNotices(watched: WatchResult): string {
  const { kept, passed, upgraded, forgotten, learnedLate, quarantined, silence, upstream } = watched;
  const judged = learnedLate
    ? 'and because a secret became known late, only stored exchanges are judged'
    : 'and judged';
  // Each line names the option or the event that caused the loss, since the exit code alone does not show an
  // incomplete judgement.
  const lines = [
    ...(passed === 0
      ? []
      : [
          `the first ${plural(kept, 'exchange')} are stored, ${passed} more passed beyond --max-disk, ${judged}`,
        ]),
    ...(upgraded === 0
      ? []
      : [`${plural(upgraded, 'connection')} (upgrade or CONNECT) neither recorded nor judged`]),
    ...(forgotten === 0
      ? []
      : [
          `${plural(forgotten, 'state')} dropped because of --max-memory: evidence that spans long times may be lost`,
        ]),
    ...(kept + passed + upgraded === 0 ? [NO_TRAFFIC_HINT] : []),
    ...(silence === null ? [] : [unreachable(upstream, silence)]),
    ...(quarantined === null ? [] : [quarantineWords(quarantined)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
