import type { ReportWithEvidence } from '../../pipeline/report/make-report.ts';
import { DEFAULT_WIDTH, type ReportListener } from '../../pipeline/report/write-reports.ts';
import { githubAnnotations } from '../../reports/formats/github.ts';
import { problemLines } from '../../reports/formats/problems.ts';
import { printableReport } from '../../reports/printable-report.ts';
import { nextLines } from '../../reports/summary/next-step.ts';
import { firstScreen, terminalReport } from '../../reports/terminal/terminal.ts';
import { referenceLines, scoreLine, verdictSentence } from '../../reports/verdict-words.ts';
import { coloursFor } from '../../reports/words/colours.ts';
import { baselineLines } from './baseline-lines.ts';
import { colourMode, columnsOf } from './terminal.ts';

/** Prints the formats for stdout: `problems`, `github`, `terminal`. Without the last, the verdict goes to stderr. */
export const printReport: ReportListener = (
  { report, context, baseline, comparison, isRun },
  written,
  { report: formats, color, standingBaseline = null },
) => {
  if (formats.includes('problems')) process.stdout.write(problemLines(report));
  if (formats.includes('github')) process.stdout.write(githubAnnotations(report, context));
  if (!formats.includes('terminal')) {
    const where = written.length === 0 ? '' : `; written to ${written.map(({ path }) => path).join(', ')}`;
    const score = [scoreLine(report), ...referenceLines(report)].join('; ');
    process.stderr.write(`${verdictSentence(report)}: ${score}${where}\n`);
  } else
    process.stdout.write(
      terminalReport(report, { ...context, ...terminalLayout(color), written, comparison }),
    );
  // The verdict alone would suggest that nothing is left to do, but a run rejects baseline entries without a reason.
  if (baseline !== null) {
    const { side } = report;
    process.stderr.write(`${baselineLines(baseline, { side, isRun }, standingBaseline)}\n`);
  }
};

export const printFirstScreen: ReportListener = ({ report, context }, written, { color }) => {
  process.stdout.write(`\n${firstScreen(report, { ...context, ...terminalLayout(color), written })}\n`);
};

export function nextLinesWithoutBaseline(
  { report, context }: ReportWithEvidence,
  color: boolean,
): readonly string[] {
  const { newBaselineFile: _, ...others } = context;
  return nextLines(printableReport(report), { ...others, ...terminalLayout(color), baselineFile: null });
}

/** Without columns, as in a pipe, lines are not wrapped, so that they can be searched. */
function terminalLayout(color: boolean) {
  const columns = columnsOf(process.stdout);
  const paint = coloursFor(colourMode(process.stdout, color));
  return { columns, width: columns ?? DEFAULT_WIDTH, paint };
}
