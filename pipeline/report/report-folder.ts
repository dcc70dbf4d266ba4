import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../exchange/directory.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { UsageError } from '../setup/usage-error.ts';

/** Throws UsageError if nothing can be written to the folder. */
export function makeReportFolder(dir: string): void {
  // Permissions alone do not reveal a full disk or a read-only file system.
  const trial = join(dir, `.assay-${process.pid}`);
  try {
    makeDirectory(dir);
    rmSync(trial, { force: true });
    writeFileSync(trial, 'x', { flag: 'wx' });
    rmSync(trial);
  } catch (error) {
    throw new UsageError(
      `--report-dir ${dir}: nothing can be written there (${messageOf(error)}). Name a writable folder.`,
    );
  }
}
