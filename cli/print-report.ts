import type { ReportListener } from '../pipeline/live-run.ts';
import { DEFAULT_WIDTH } from '../pipeline/report/write-reports.ts';
import { githubAnnotations } from '../reports/formats/github.ts';
import { problemLines } from '../reports/formats/problems.ts';
import { coloursFor } from '../reports/terminal/colours.ts';
import { terminalReport } from '../reports/terminal/terminal.ts';
import { scoreLine, verdictSentence } from '../reports/verdict-sentence.ts';
import { baselineLines } from './notices/baseline-lines.ts';
import { columnsOf } from './notices/terminal-columns.ts';

/** Prints a report on stdout where the terminal is among the outputs, with the written files; otherwise its verdict on stderr. */
export const printReport: ReportListener = (
  { report, context: evidence, baseline, comparison },
  written,
  { report: asked, color, standingBaseline = null },
) => {
  if (baseline !== null) process.stderr.write(`${baselineLines(baseline, report, standingBaseline)}\n`);
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
