import { readReport } from '../../pipeline/report/read-report.ts';
import { compareReports } from '../../reports/comparison/compare.ts';
import { comparisonText } from '../../reports/comparison/comparison-text.ts';
import { coloursFor } from '../../reports/words/colours.ts';
import type { Execute } from '../options/command.ts';
import { colourMode } from '../output/terminal.ts';

export const execute: Execute<{ readonly color: boolean; readonly all?: true }> = async ({ args, flags }) => {
  const [before = '', after = ''] = args;
  const comparison = compareReports(readReport(before), readReport(after));
  const paint = coloursFor(colourMode(process.stdout, flags.color));
  process.stdout.write(comparisonText(comparison, paint, flags.all === true ? Infinity : undefined));
  return comparison.worse.length > 0 ? 1 : 0;
};
