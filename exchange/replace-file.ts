import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * A link is replaced, not followed, because it may lead outside the folder. If a write fails, the old file stays.
 * Throws the system's error.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    // A killed process may have left a draft, and another user may have put a link there.
    rmSync(draft, { force: true });
    writeFileSync(draft, content, { flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Like `replaceFile`, for a path that the user named: writes to a pipe or a device, such as /dev/stdout. */
export function writeNamedFile(path: string, content: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) replaceFile(path, content);
  else writeFileSync(path, content);
}
