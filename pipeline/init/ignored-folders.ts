import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders that commands write into: reports with the recorded traffic, which does not belong in a repository. */
const FOLDERS = ['assay-report/', 'assay-again/', 'assay-client/', 'assay-watch/'];

/** Whether the folders are ignored now: by lines that were added, or by those that were there; null outside a git repository. */
export type IgnoredFolders = 'added' | 'there' | null;

/**
 * Adds the folders of reports to the `.gitignore` of a folder that is in a git repository, or that has such a file. Folders that
 * a line names already, be it as an exception, stay as they are.
 */
export function ignoreReportFolders(folder: string): IgnoredFolders {
  const path = join(folder, '.gitignore');
  const old = existsSync(path) ? readFileSync(path, 'utf8') : null;
  if (old === null && !isInRepository(folder)) return null;
  const named = new Set((old ?? '').split(/\r?\n/).map(nameIn));
  if (named.has('assay-*')) return 'there';
  const missing = FOLDERS.filter((one) => !named.has(nameIn(one)));
  if (missing.length === 0) return 'there';
  const lineBreak = old?.includes('\r\n') === true ? '\r\n' : '\n';
  const begun = old === null || old === '' || old.endsWith('\n') ? (old ?? '') : `${old}${lineBreak}`;
  writeFileSync(path, `${begun}${missing.map((one) => `${one}${lineBreak}`).join('')}`);
  return 'added';
}

/** The name in a line of `.gitignore`, without the signs that say where and how it applies. */
function nameIn(line: string): string {
  return line
    .trim()
    .replace(/^!?\/?/, '')
    .replace(/\/$/, '');
}

/** Whether the folder, or one above it, is the root of a repository; in a worktree, `.git` is a file. */
function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const above = dirname(folder);
  return above !== folder && isInRepository(above);
}
