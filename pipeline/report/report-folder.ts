import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../exchange/directory.ts';
import { UsageError } from '../usage-error.ts';

/** Makes the folder of the reports and tries it, so that a bad one is told before anything is driven. Throws UsageError. */
export function makeReportFolder(dir: string): void {
  const trial = join(dir, `.assay-${process.pid}`);
  try {
    makeDirectory(dir);
    writeFileSync(trial, 'x');
    rmSync(trial);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `--report-dir ${dir}: nothing can be written there (${why}). Name a folder that may be written.`,
    );
  }
}
