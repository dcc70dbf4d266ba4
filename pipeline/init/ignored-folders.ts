import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { writeNamedFile } from '../../exchange/replace-file.ts';
import { repositoryOf } from './repository.ts';

const REPORT_FOLDERS = ['assay-report/', 'assay-again/', 'assay-client/', 'assay-watch/'];

/** `added`: lines were added; `present`: they already existed; null: neither a `.gitignore` nor a git repository. */
export type GitignoreOutcome = 'added' | 'present' | null;

/** Adds the report folders to `.gitignore`, except those that a line already names, even one that begins with `!`. */
export function ignoreReportFolders(folder: string): GitignoreOutcome {
  const path = join(folder, '.gitignore');
  const oldText = existsSync(path) ? readRegularFile(path) : null;
  if (oldText === null && repositoryOf(folder) === null) return null;
  const nameIn = (line: string) => line.trim().replace(/^!?\/?|\/$/g, '');
  const ignoredNames = new Set((oldText ?? '').split(/\r?\n/).map(nameIn));
  if (ignoredNames.has('assay-*')) return 'present';
  const missing = REPORT_FOLDERS.filter((name) => !ignoredNames.has(nameIn(name)));
  if (missing.length === 0) return 'present';
  const lineBreak = oldText?.includes('\r\n') === true ? '\r\n' : '\n';
  const separator = !oldText || oldText.endsWith('\n') ? '' : lineBreak;
  writeNamedFile(
    path,
    `${oldText ?? ''}${separator}${missing.map((name) => `${name}${lineBreak}`).join('')}`,
  );
  return 'added';
}
