import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The root of the git repository that contains a folder; null outside one. In a worktree, `.git` is a file. */
export function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  const above = dirname(folder);
  return above === folder ? null : repositoryOf(above);
}

/** `path`: as in `package.json`. */
export interface MissingDependency {
  readonly path: string;
  readonly why: 'outside' | 'untracked';
}

/**
 * Returns the dependency if a checkout would lack it; null for a version or URL, and for a file that git tracks or
 * whose state git does not report. `spec`: as in `package.json`, relative to `folder`.
 */
export function findMissingDependency(folder: string, spec: string): MissingDependency | null {
  const path = localPath(spec);
  if (path === null) return null;
  const repository = repositoryOf(folder);
  const place = realPath(resolve(folder, path));
  const below = relative(realPath(repository ?? folder), place);
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) return { path, why: 'outside' };
  if (repository === null) return null;
  const { status } = spawnSync('git', ['ls-files', '--error-unmatch', '--', place], {
    cwd: repository,
    stdio: 'ignore',
  });
  // 0 means tracked; other codes, and null, are failures of git itself.
  return status === 1 ? { path, why: 'untracked' } : null;
}

function localPath(spec: string): string | null {
  const [, path] = /^(?:file|link):(?:\/\/(?=\/))?(.+)$/.exec(spec) ?? [];
  if (path !== undefined) return path;
  return /^\.{0,2}\//.test(spec) ? spec : null;
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
