import { basename, dirname, resolve } from 'node:path';
import { readReport } from '../../pipeline/report/read-report.ts';
import { keepDifferences, makeMatrix, matrixHtml, matrixMarkdown } from '../../reports/formats/matrix.ts';
import type { Execute } from '../options/command.ts';

interface Flags {
  readonly format: 'markdown' | 'html';
  readonly differences?: true;
}

/** Exits with 0 whatever the verdicts are, because a matrix compares services and does not judge them. */
export const execute: Execute<Flags> = async ({ args, flags }) => {
  // Reads all reports first, so that a missing file does not leave half a table in the output.
  const fullMatrix = makeMatrix(
    args.map(parseNamedReport).map(({ name, path }) => ({ name, report: readReport(path) })),
  );
  const matrix = flags.differences === true ? keepDifferences(fullMatrix) : fullMatrix;
  process.stdout.write(flags.format === 'html' ? matrixHtml(matrix) : matrixMarkdown(matrix));
  return 0;
};

/** Splits `NAME=PATH`. A name has no slash or backslash, so a path is not split at an `=` after its first separator. */
function parseNamedReport(argument: string): { readonly name: string; readonly path: string } {
  const [, name, path] = /^([^=/\\]+)=(.+)$/s.exec(argument) ?? [];
  return { name: name ?? nameOf(argument), path: path ?? argument };
}

/** Names a `.json` file after its folder, because the file of a report is usually called report.json. */
function nameOf(path: string): string {
  const full = resolve(path);
  return full.endsWith('.json') ? basename(dirname(full)) : basename(full);
}
