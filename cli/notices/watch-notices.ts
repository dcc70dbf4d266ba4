import type { WatchResult } from '../../pipeline/watch.ts';
import { quarantineWords } from '../../proxy/record/recorder-words.ts';
import { plural } from '../../reports/report.ts';
import { unreachable } from '../../reports/words/stop.ts';
import { NO_TRAFFIC_HINT } from '../serving.ts';

/** What the bounds of disk and memory cost, and that nothing passed, or that the service was silent. */
export function watchNotices(watched: WatchResult): string {
  const { kept, passed, upgraded, forgotten, learnedLate, quarantined, silence, upstream } = watched;
  const judged = learnedLate
    ? 'and as a secret became known late, only what is kept is judged'
    : 'and judged';
  const lines = [
    ...(passed === 0
      ? []
      : [
          `the first ${plural(kept, 'exchange')} are kept, ${passed} more passed beyond --max-disk, ${judged}`,
        ]),
    ...(upgraded === 0
      ? []
      : [`${plural(upgraded, 'connection')} (upgrade or CONNECT) neither recorded nor judged`]),
    ...(forgotten === 0
      ? []
      : [
          `${plural(forgotten, 'state')} forgotten for --max-memory: evidence that spans long times may be lost`,
        ]),
    ...(kept + passed + upgraded === 0 ? [NO_TRAFFIC_HINT] : []),
    ...(silence === null ? [] : [unreachable(upstream, silence)]),
    ...(quarantined === null ? [] : [quarantineWords(quarantined)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
