import { existsSync } from 'node:fs';
import type { Report } from '../../reports/report.ts';
import { UsageError } from '../usage-error.ts';
import { readReport } from './read-report.ts';

/**
 * The report that a new one is compared with, named itself or by its folder; null where none is asked for. Read at once: it may
 * be in the folder whose reports the run replaces. Throws UsageError.
 */
export function readEarlierReport(path: string | null): Report | null {
  if (path === null) return null;
  if (!existsSync(path))
    throw new UsageError(
      `--compare-to ${path} does not exist. Name the report.json of an earlier run, or its folder.`,
    );
  return readReport(path);
}
