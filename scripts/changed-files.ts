import { execFileSync } from 'node:child_process';

export function changedFiles(since: string): readonly string[] {
  // Paths with spaces or special characters do not occur here; the names of sources are checked.
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  return [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];
}
