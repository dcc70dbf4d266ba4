import { existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { DriveResult } from '../../drive/run.ts';
import { FolderContents } from '../../exchange/cassette/folder.ts';
import { makeDirectory } from '../../exchange/directory.ts';
import { UsageError } from '../setup/usage-error.ts';
import { LEDGER_FILE } from './earlier-ledger.ts';
import { removeReports, reportFilesIn } from './write-reports.ts';

const ASIDE_PREFIX = '.earlier-';
/** Folder for the last report in each format, other than Allure, that a later run did not write. */
export const EARLIER_FOLDER = 'earlier';

/**
 * Reports and traffic of an earlier run in the same folder, set aside during the next run. If that run cannot start or
 * sees no traffic, they are put back, because it has nothing to show instead; otherwise they are dropped.
 */
export interface EarlierFiles {
  readonly hasReport: boolean;
  /** Puts the files back in place of those that the later run wrote. */
  restore(): void;
  /**
   * Deletes the files, except reports in formats that the later run did not write: these move to `EARLIER_FOLDER`, and
   * their names are returned. Allure results are always deleted.
   */
  drop(): readonly string[];
}

/**
 * Sets the reports and traffic of an earlier run aside; deletes them if there is no report, or if the cassette folder
 * also contains `.gitkeep` or the like. Throws CassetteError if anything else is in place of the traffic.
 */
export function putFilesAside(reportDir: string): EarlierFiles {
  // A run that was killed left its folder behind.
  for (const name of readdirSync(reportDir).filter((entry) => entry.startsWith(ASIDE_PREFIX)))
    dropFiles(join(reportDir, name), reportDir);
  const reports = reportFilesIn(reportDir);
  const hasReport = reports.some((name) => name !== 'cassette') && isMovable(join(reportDir, 'cassette'));
  // A ledger that is still here lists nothing to clean up; any other ledger has already been set aside.
  const names = existsSync(join(reportDir, LEDGER_FILE)) ? [...reports, LEDGER_FILE] : reports;
  const aside = hasReport ? mkdtempSync(join(reportDir, ASIDE_PREFIX)) : null;
  if (aside !== null) moveFiles(names, reportDir, aside);
  removeReports(reportDir);
  const drop = () => (aside === null ? [] : dropFiles(aside, reportDir));
  const restore = (): void => {
    if (aside === null) return;
    removeReports(reportDir);
    moveFiles(names, aside, reportDir);
    drop();
  };
  return { hasReport, restore, drop };
}

function dropFiles(aside: string, reportDir: string): readonly string[] {
  const reports = reportFilesIn(aside).filter((name) => name !== 'cassette' && !name.includes(sep));
  const keptReports = reports.filter((name) => !existsSync(join(reportDir, name)));
  moveFiles(keptReports, aside, join(reportDir, EARLIER_FOLDER));
  rmSync(aside, { recursive: true, force: true });
  return keptReports;
}

/** Whether a run ended before it could show anything: no target was reached, or an interrupt came before the first call. */
export function hasShownNothing({ stopReason, spent }: Pick<DriveResult, 'stopReason' | 'spent'>): boolean {
  return stopReason === 'target-unreachable' || (stopReason === 'interrupted' && spent.requests === 0);
}

/** Sets an earlier proxy's files aside. Throws UsageError if a run wrote them. */
export function putProxyFilesAside(reportDir: string): EarlierFiles {
  if (existsSync(join(reportDir, LEDGER_FILE)))
    throw new UsageError(
      `--report-dir ${reportDir} has the report of a run, which would be lost. Name another folder, or remove it first.`,
    );
  return putFilesAside(reportDir);
}

/** Whether the folder is absent or contains only files of the cassette format. Anything else stays where it is. */
function isMovable(cassette: string): boolean {
  const status = lstatSync(cassette, { throwIfNoEntry: false });
  return status === undefined || (status.isDirectory() && new FolderContents(cassette).ignored.length === 0);
}

function moveFiles(names: readonly string[], from: string, to: string): void {
  for (const name of names) {
    makeDirectory(dirname(join(to, name)));
    renameSync(join(from, name), join(to, name));
  }
}
