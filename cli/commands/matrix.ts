import { basename, dirname, resolve } from 'node:path';
import { Option } from 'commander';
import { makeMatrix } from '../../reports/comparison/matrix.ts';
import { matrixHtml, matrixMarkdown } from '../../reports/formats/matrix-pages.ts';
import type { AddCommand } from '../options/command.ts';

/** Always exits with 0: a matrix compares services, it does not judge them. */
export const addCommand: AddCommand = (program, { finish }) => {
  program
    .command('matrix')
    .description(
      'Prints a table of services by families, then the requirements and choices in which the reports differ.',
    )
    .argument('<report...>', 'report.json, or its folder; NAME=PATH names the service')
    .addOption(
      new Option('--format <name>', 'output format').choices(['markdown', 'html']).default('markdown'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  assay matrix old=old/report.json new=assay-report --format html > matrix.html',
    )
    .action(async (paths: string[], { format }: { format: 'markdown' | 'html' }) => {
      const { readReport } = await import('../../pipeline/report/read-report.ts');
      // Read all reports first: a missing file must not leave half a table in the output.
      const matrix = makeMatrix(
        paths.map(named).map(({ name, path }) => ({ name, report: readReport(path) })),
      );
      process.stdout.write(format === 'html' ? matrixHtml(matrix) : matrixMarkdown(matrix));
      finish(0);
    });
};

/** Splits `NAME=PATH`. A name has no slash, so that a path with `=` in a folder name is still a path. */
function named(argument: string): { readonly name: string; readonly path: string } {
  const [, name, path] = /^([^=/\\]+)=(.+)$/s.exec(argument) ?? [];
  return { name: name ?? nameOf(argument), path: path ?? argument };
}

/** The folder's name, since every file is called report.json. */
function nameOf(path: string): string {
  const full = resolve(path);
  return full.endsWith('.json') ? basename(dirname(full)) : basename(full);
}
