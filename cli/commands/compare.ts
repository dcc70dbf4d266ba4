import { compareReports, comparisonText } from '../../reports/comparison/compare.ts';
import { coloursFor } from '../../reports/words/layout.ts';
import type { AddCommand } from '../options/command.ts';

export const addCommand: AddCommand = (program, { finish }) => {
  program
    .command('compare')
    .description(
      'Prints which requirements are worse, better, new and gone in the second report. Exits with 1 when any is worse.',
    )
    .argument('<before>', 'report.json, or its folder')
    .argument('<after>', 'report.json, or its folder')
    .option('--no-color', 'print without colours')
    .addHelpText('after', '\nExample:\n  assay compare last-release/report.json assay-report')
    .action(async (before: string, after: string, { color }: { color: boolean }) => {
      // Accepts reports of every version since 0.1.
      const { readReport } = await import('../../pipeline/report/read-report.ts');
      const comparison = compareReports(readReport(before), readReport(after));
      // NO_COLOR: https://no-color.org.
      const colours = color && !process.env['NO_COLOR'] && process.stdout.isTTY === true ? 'on' : 'off';
      process.stdout.write(comparisonText(comparison, coloursFor(colours)));
      finish(comparison.worse.length > 0 ? 1 : 0);
    });
};
