import { compareReports, comparisonText } from '../../reports/comparison/compare.ts';
import { coloursFor } from '../../reports/words/layout.ts';
import type { AddCommand } from '../options/command.ts';

/**
 * `assay compare A B`: prints which requirements became better or worse between two reports of the same target.
 * Exits with 1 when any became worse, so that a pipeline can gate on it.
 */
export const compareCommand: AddCommand = (program, { finish }) => {
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
      // Reports of every version since 0.1 are accepted; `readReport` fills in fields that they lack.
      const { readReport } = await import('../../pipeline/report/read-report.ts');
      const comparison = compareReports(readReport(before), readReport(after));
      // The flag `--no-color` and the variable NO_COLOR (https://no-color.org) count alike, and a pipe never
      // gets colours.
      const colours = color && !process.env['NO_COLOR'] && process.stdout.isTTY === true ? 'on' : 'off';
      process.stdout.write(comparisonText(comparison, coloursFor(colours)));
      finish(comparison.worse.length > 0 ? 1 : 0);
    });
};
