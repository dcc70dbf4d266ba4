// The report for a terminal.
import { acceptedCount, acceptedGroups, acceptedIds } from '../accepted.ts';
import type { Comparison } from '../comparison/compare.ts';
import { printableReport } from '../formats/printable-report.ts';
import type { Report } from '../report.ts';
import { ownerOf } from '../words/owner.ts';
import { type FailingOptions, failingPart } from './failing-part.ts';
import { firstLines } from './first-lines.ts';
import { errataLines, summaryLines } from './summary/summary.ts';
import { moreIn } from './summary/written-file.ts';
import { wrapText } from './wrap.ts';

/** Lines of each list beside the failures; the report has all. */
const LISTED = 10;

/** Options of the terminal report: styles of words and values, the columns of the terminal, commands. */
export interface TerminalOptions extends FailingOptions {
  /** What changed since an earlier report; absent where nothing is compared. */
  readonly comparison?: Comparison | null;
}

/** The whole report for a terminal: failures, warnings, then the summary, because a terminal is read from its end. */
export function terminalReport(given: Report, options: TerminalOptions): string {
  const report = printableReport(given);
  return [
    ...firstLines(report, options.columns),
    ...failingPart(report, options),
    ...accepted(report, options),
    ...errata(report, options),
    ...defects(report, options),
    ...summaryLines(report, options),
    '',
  ].join('\n');
}

/** The first lines, each broken at the width of the terminal, and how many more there are; an empty one after them. */
function listed(lines: readonly string[], { columns, written }: TerminalOptions, indent: number): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, LISTED).flatMap((line) => wrapText(line, columns, indent));
  const rest = lines.length - LISTED;
  return [...shown, ...(rest > 0 ? [`      ${moreIn(rest, written)}`] : []), ''];
}

/** Everything that the baseline accepts, by reason: a line that counts, and the first ids. */
function accepted(report: Report, { paint, columns, written }: TerminalOptions): string[] {
  return acceptedGroups(report).flatMap((group) => {
    const ids = acceptedIds(group);
    const rest = ids.length - LISTED;
    const head = wrapText(`KNOWN ${acceptedCount(group)}: ${group.reason}`, columns, 6);
    return [
      ...head.map((line) => line.replace(/^KNOWN/, paint.bold(paint.cyan('KNOWN')))),
      ...ids.slice(0, LISTED).flatMap((id) => wrapText(`      ${id}`, columns, 6)),
      ...(rest > 0 ? [`      ${moreIn(rest, written)}`] : []),
      '',
    ];
  });
}

/** Errata of the dialect that were needed. */
function errata(report: Report, options: TerminalOptions): string[] {
  const { bold, cyan } = options.paint;
  const lines = errataLines(report).map((line) => `EXCUSED ${line}`);
  return listed(lines, options, 8).map((line) => line.replace(/^EXCUSED/, bold(cyan('EXCUSED'))));
}

/** Defects of assay or of an extension: they say nothing about the target. */
function defects({ requirements }: Report, { paint, columns }: TerminalOptions): string[] {
  return requirements
    .filter(({ verdict }) => verdict === 'error')
    .flatMap(({ id, reason }) => [
      `${paint.bold(paint.magenta('ERROR'))} ${id}`,
      ...wrapText(
        `      a defect of ${ownerOf(id)}, not of the target: ${reason ?? 'no reason given'}`,
        columns,
      ),
      '',
    ]);
}
