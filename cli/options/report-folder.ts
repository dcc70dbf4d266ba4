import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { errorCode } from '../../schemas/error-message.ts';

/**
 * Throws UsageError for a report folder outside the working directory, so that a command in an untrusted folder writes
 * elsewhere only if told to.
 */
export function refuseOutside(reportDir: string): void {
  const [folder, place] = [realpathSync(process.cwd()), resolveLinks(resolve(reportDir))];
  if (place === folder || place.startsWith(join(folder, '/'))) return;
  throw new UsageError(
    `${reportDir} leads to ${place}, outside this folder. Nothing was written: name it with --report-dir if that is intended.`,
  );
}

/** The path after resolving all links; parts that do not exist stay unchanged. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return path;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (isLink) return resolveLinks(resolve(dirname(path), readlinkSync(path)));
    return dirname(path) === path ? path : join(resolveLinks(dirname(path)), basename(path));
  }
}
