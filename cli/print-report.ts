import type { ReportListener } from '../pipeline/live-run.ts';
import type { WrittenBaseline } from '../pipeline/report/known-failures.ts';
import { DEFAULT_WIDTH } from '../pipeline/report/write-reports.ts';
import { shellQuote } from '../reports/failure/curl-command.ts';
import { githubAnnotations } from '../reports/formats/github.ts';
import { problemLines } from '../reports/formats/problems.ts';
import { plural, type Report } from '../reports/report.ts';
import { coloursFor } from '../reports/terminal/colours.ts';
import { terminalReport } from '../reports/terminal/terminal.ts';
import { passingCauseWords } from '../reports/undecided.ts';
import { scoreLine, verdictSentence } from '../reports/verdict-sentence.ts';
import { withSharedCause } from '../reports/words/shared-cause.ts';
import { shortList } from '../reports/words/short-list.ts';
import { columnsOf } from './notices/terminal-columns.ts';

/** MUSTs without an entry that are named; more are counted. */
const LEFT_NAMED = 4;

/** Prints a report on stdout where the terminal is among the outputs, with the written files; otherwise its verdict on stderr. */
export const printReport: ReportListener = (
  { report, context: evidence, baseline, comparison },
  written,
  { report: asked, color },
) => {
  if (baseline !== null) process.stderr.write(`${baselineLines(baseline, report)}\n`);
  if (asked.includes('problems')) process.stdout.write(problemLines(report));
  if (asked.includes('github')) process.stdout.write(githubAnnotations(report, evidence));
  if (!asked.includes('terminal')) {
    // A run that only writes files still shows its verdict.
    const where = written.length === 0 ? '' : `; written to ${written.map(({ path }) => path).join(', ')}`;
    process.stderr.write(`${verdictSentence(report)}: ${scoreLine(report)}${where}\n`);
    return;
  }
  // A pipe has no columns: its lines stay whole, so that they can be searched.
  const columns = columnsOf(process.stdout);
  const width = columns ?? DEFAULT_WIDTH;
  const colours = color && process.stdout.isTTY === true ? 'on' : 'off';
  process.stdout.write(
    terminalReport(report, { ...evidence, width, columns, paint: coloursFor(colours), written, comparison }),
  );
};

/** The entries that were written into a baseline, and the next step; for a trace without evidence, why no file was written. */
function baselineLines(
  { path, isWritten, entries, failures, consequences, undecided, unfilled, left, expired }: WrittenBaseline,
  { side }: Pick<Report, 'side'>,
): string {
  if (!isWritten)
    return `${path}: not written, because no requirement was judged; the report gives the reason of each requirement`;
  const kinds = [
    ...(failures > 0 || undecided === 0
      ? [withSharedCause(plural(failures, 'known failure'), { consequences })]
      : []),
    ...(undecided > 0 ? [`${plural(undecided, 'MUST')} that could not be decided`] : []),
  ];
  // The configuration names the baseline of the service.
  const use =
    side === 'client'
      ? `pass --baseline ${shellQuote(path)} to assay client`
      : `pass --baseline ${shellQuote(path)}, or set "baseline": ${JSON.stringify(path)} in assay.config.json`;
  const next =
    unfilled === 0
      ? use
      : `fill in ${plural(unfilled, 'reason')} in the file (or write it again with --baseline-reason TEXT), then ${use}`;
  const total = plural(entries, 'entry', 'entries');
  return [
    `wrote ${total} to ${path} for ${kinds.join(', ')}`,
    ...leftLines(left),
    ...expiredLines(expired),
    `next: ${next}`,
  ].join('\n');
}

/** Entries that are in the file and accept nothing any more; nothing for none. */
function expiredLines(ids: WrittenBaseline['expired']): readonly string[] {
  if (ids.length === 0) return [];
  return [
    `expired: ${plural(ids.length, 'entry', 'entries')} for MUSTs that could not be decided: ${shortList(ids, LEFT_NAMED)}; set a later date at "expires", or remove the entry`,
  ];
}

/** MUSTs that have no entry although they could not be decided, by the reason; nothing for none. */
function leftLines(left: WrittenBaseline['left']): readonly string[] {
  const byReason = new Map<string, string[]>();
  for (const { id, kind } of left) {
    const ids = byReason.get(passingCauseWords(kind)) ?? [];
    byReason.set(passingCauseWords(kind), [...ids, id]);
  }
  return [...byReason].map(([why, ids]) => {
    return `not written: ${plural(ids.length, 'MUST')} that could not be decided because ${why}: ${shortList(ids, LEFT_NAMED)}; another run may decide it, or --allow-inconclusive passes all the same`;
  });
}
