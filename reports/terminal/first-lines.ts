// What a reader has to know before the failures: that the target died, and one cause of many of them.
import { formatNumber, type Report } from '../report.ts';
import { breakdownWords } from '../words/breakdown.ts';
import { whenWords } from '../words/stop.ts';
import { type Columns, wrapText } from './wrap.ts';

/** The lines before the failures, an empty one after them; nothing for most reports. */
export function firstLines(report: Report, columns: Columns): readonly string[] {
  const lines = [...death(report), ...sharedCauses(report)];
  return lines.length === 0 ? [] : [...lines.flatMap((line) => wrapText(line, columns, 2)), ''];
}

/** Says that the target stopped answering: failures after that say little about it. */
function death({ summary }: Report): readonly string[] {
  const found = summary.causes.find(({ kind }) => kind === 'stopped');
  if (found?.kind !== 'stopped' || found.reason !== 'target-died') return [];
  const calls = found.stop !== null && 'underWay' in found.stop ? found.stop.underWay : undefined;
  return [
    `the target stopped answering ${whenWords(calls ?? [])}: all below rests on what it answered before`,
  ];
}

/** The cause that several failures share: a line for each level. */
function sharedCauses({ summary }: Report): readonly string[] {
  return summary.causes.flatMap((one) => {
    const [first] = one.kind === 'broken' ? (one.faults ?? []) : [];
    // Further faults stand with their requirements: one line is read, several are a list.
    if (one.kind !== 'broken' || first === undefined) return [];
    const all = one.count + (one.consequences ?? 0);
    const some = first.requirements === all ? 'all' : `${formatNumber(first.requirements)} of`;
    return [
      `${some} ${formatNumber(all)} ${one.level} failures share one cause: the service ${breakdownWords([first.fault])}`,
    ];
  });
}
