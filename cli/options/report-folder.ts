import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { errorCode } from '../../schemas/error-message.ts';

/** Throws UsageError for a folder outside: a command in an untrusted folder writes elsewhere only if told to. */
export function refuseOutsideWorkingDirectory(reportDir: string): void {
  const workingDirectory = realpathSync(process.cwd());
  const target = resolveLinks(resolve(reportDir));
  if (target === workingDirectory || target.startsWith(join(workingDirectory, '/'))) return;
  throw new UsageError(
    `${reportDir} leads to ${target}, outside this folder. Nothing was written: name it with --report-dir if that is intended.`,
  );
}

/** Resolves all links in a path. Parts that do not exist stay unchanged, as does a path that cannot be read. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return path;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (isLink) return resolveLinks(resolve(resolveLinks(dirname(path)), readlinkSync(path)));
    return dirname(path) === path ? path : join(resolveLinks(dirname(path)), basename(path));
  }
}
