import { basename, dirname, resolve } from 'node:path';
import { readReport } from '../../pipeline/report/read-report.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
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
    nameReports(args).map(({ name, path }) => ({ name, report: readReport(path) })),
  );
  const matrix = flags.differences === true ? keepDifferences(fullMatrix) : fullMatrix;
  process.stdout.write(flags.format === 'html' ? matrixHtml(matrix) : matrixMarkdown(matrix));
  return 0;
};

interface NamedReport {
  readonly name: string;
  readonly path: string;
}

/** Folders of the same name are told apart by their paths. Throws UsageError if two names are still equal. */
function nameReports(args: readonly string[]): readonly NamedReport[] {
  const reports = args.map(parseNamedReport);
  const shared = sharedNames(reports);
  const named = reports.map(({ name, path }, n) => {
    const isGiven = args[n] !== path;
    return { name: shared.has(name) && !isGiven ? path : name, path };
  });
  const [duplicate] = sharedNames(named);
  if (duplicate !== undefined)
    throw new UsageError(`Two reports are called ${duplicate}. Give each a name of its own: NAME=PATH.`);
  return named;
}

function sharedNames(reports: readonly NamedReport[]): ReadonlySet<string> {
  const names = reports.map(({ name }) => name);
  return new Set(names.filter((name, n) => names.indexOf(name) !== n));
}

/** Splits `NAME=PATH`. A name has no slash or backslash, so a path is not split at an `=` after its first separator. */
function parseNamedReport(argument: string): NamedReport {
  const [, name, path] = /^([^=/\\]+)=(.+)$/s.exec(argument) ?? [];
  return { name: name ?? nameOf(argument), path: path ?? argument };
}

/** Names a `.json` file after its folder, because the file of a report is usually called report.json. */
function nameOf(path: string): string {
  const full = resolve(path);
  return full.endsWith('.json') ? basename(dirname(full)) : basename(full);
}
