import { resolve } from 'node:path';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { BaselineChanges, WrittenBaseline } from '../../pipeline/report/written-baseline.ts';
import type { Report } from '../../reports/report.ts';
import { transientCauseWords } from '../../reports/undecided.ts';
import { withSharedCause } from '../../reports/words/gate-reason.ts';
import { groupBy } from '../../schemas/maps.ts';
import { compact, plural, shortList } from '../../schemas/message-text.ts';

const MAX_NAMED = 4;

const entryWords = (n: number) => plural(n, 'entry', 'entries');

/**
 * Returns the lines about the written baseline and the next step. `isRun`: whether the traffic is that of a run, so
 * that another run can decide what it leaves open. `standing`: the baseline in force without a flag, or null.
 */
export function baselineLines(
  written: WrittenBaseline,
  { side, isRun }: { readonly side: Report['side']; readonly isRun: boolean },
  standing: string | null,
): string {
  const { path, isWritten, entries, changes, unfilled, left, expired } = written;
  if (!isWritten)
    return `${path}: not written, because no requirement was judged; the report gives a reason for each one`;
  const steps = compact(
    unfilled > 0 &&
      `fill in ${plural(unfilled, 'reason')} in the file (or write it again with --baseline-reason TEXT), because a run with an entry without a reason exits with 2`,
    !(standing !== null && resolve(standing) === resolve(path)) && useWords(path, side),
  );
  const total = `wrote ${entryWords(entries)} to ${path}`;
  return compact(
    changes === null
      ? `${total} for ${shownWords(written)}${differenceWords(written)}`
      : `${total}: ${changeWords(changes)}; this traffic shows ${shownWords(written)}${differenceWords(written)}`,
    ...leftLines(left, isRun ? 'run' : 'record'),
    expired.length > 0 &&
      `expired: ${entryWords(expired.length)}, not kept: ${shortList(expired, MAX_NAMED)}; what this traffic still shows has new entries, which expire, too`,
    steps.length > 0 && `next: ${steps.join(', then ')}`,
  ).join('\n');
}

function useWords(path: string, side: Report['side']): string {
  return side === 'client'
    ? `pass --baseline ${shellQuote(path)} to assay client`
    : `pass --baseline ${shellQuote(path)}, or set "baseline": ${JSON.stringify(path)} in assay.config.json`;
}

export function shownWords({ failures, consequences, undecided }: WrittenBaseline): string {
  return compact(
    (failures > 0 || undecided === 0) && withSharedCause(plural(failures, 'known failure'), { consequences }),
    undecided > 0 && `${plural(undecided, 'MUST')} that could not be decided`,
  ).join(', ');
}

function differenceWords({ entries, failures, undecided, causes, unseen }: WrittenBaseline): string {
  if (entries === failures + undecided) return '';
  const parts = compact(
    causes.entries !== causes.requirements &&
      `${entryWords(causes.entries)} for the ${causes.entries === 1 ? 'cause' : 'causes'} of ${plural(causes.requirements, 'requirement')}`,
    unseen > 0 && `${entryWords(unseen)} of which this traffic shows nothing`,
  );
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function changeWords({ kept, added, changed, removed }: BaselineChanges): string {
  const named = (ids: readonly string[], what: string) =>
    ids.length === 0 ? [] : [`${ids.length} ${what} (${shortList(ids, MAX_NAMED)})`];
  return compact(
    `${kept} kept`,
    added > 0 && `${added} added`,
    ...named(changed, 'changed'),
    ...named(removed, 'removed'),
  ).join(', ');
}

function leftLines(left: WrittenBaseline['left'], verb: 'record' | 'run'): readonly string[] {
  return [...groupBy(left, ({ kind }) => transientCauseWords(kind))].map(([why, requirements]) => {
    const ids = requirements.map(({ id }) => id);
    return `not written: ${plural(ids.length, 'MUST')} that could not be decided because ${why}: ${shortList(ids, MAX_NAMED)}; ${verb} again to decide ${ids.length === 1 ? 'it' : 'them'}, or pass --allow-inconclusive`;
  });
}
