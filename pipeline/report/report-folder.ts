import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../exchange/directory.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { UsageError } from '../usage-error.ts';

/** Makes the folder of the reports and tries it, so that an unusable one is reported before the run begins. Throws UsageError. */
export function makeReportFolder(dir: string): void {
  // Writing is tried, because permissions alone do not show a full disk or a read-only file system.
  const trial = join(dir, `.assay-${process.pid}`);
  try {
    makeDirectory(dir);
    writeFileSync(trial, 'x');
    rmSync(trial);
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError(
      `--report-dir ${dir}: nothing can be written there (${why}). Name a folder that may be written.`,
    );
  }
}

/** Refuses to replace the report of a run by that of a proxy: a run costs more to repeat. Throws UsageError. */
export function refuseReportOfRun(dir: string): void {
  // Only a run creates objects, so only a run leaves their list.
  if (!existsSync(join(dir, 'ledger.jsonl'))) return;
  throw new UsageError(
    `--report-dir ${dir} has the report of a run, which would be lost. Name another folder, or remove it first.`,
  );
}
