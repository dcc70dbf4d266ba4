import { existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isRunTag, needsCleanup, readLedger } from '../../drive/cleanup/resource-ledger.ts';
import { ConfigurationError, type RunConfiguration } from '../../drive/configuration/configuration.ts';
import { FolderContents } from '../../exchange/cassette/folder.ts';
import { makeDirectory } from '../../exchange/directory.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { errorCode, messageOf } from '../../schemas/error-message.ts';
import { UsageError } from '../setup/usage-error.ts';
import { namesOfFormats, removeReports, reportFilesIn } from './write-reports.ts';

const ASIDE_PREFIX = '.earlier-';
const LEDGER_FILE = 'ledger.jsonl';

/**
 * Reports and traffic of an earlier run in the same folder, set aside during the next run. If that run breaks
 * down they are dropped; if it never reaches its target they are put back, because it has nothing to show
 * instead.
 */
export interface EarlierFiles {
  /** Whether there was an earlier report to set aside. */
  readonly exist: boolean;
  /** Puts the files back in place of those that the later run wrote; does nothing if none were set aside. */
  restore(): void;
  /** Deletes the files, but keeps reports in formats that the run did not write; returns the names of the kept ones. */
  drop(): readonly string[];
}

/**
 * Sets the earlier files aside, and removes leftovers of a killed run. Throws CassetteError if anything else is in place of the
 * traffic.
 */
export function putFilesAside(reportDir: string): EarlierFiles {
  for (const name of readdirSync(reportDir).filter((one) => one.startsWith(ASIDE_PREFIX)))
    rmSync(join(reportDir, name), { recursive: true, force: true });
  const reports = reportFilesIn(reportDir);
  const exist = reports.some((name) => name !== 'cassette') && isMovable(join(reportDir, 'cassette'));
  // A ledger that is still here is that of a run that removed all its objects; any other has been set aside already.
  const names = existsSync(join(reportDir, LEDGER_FILE)) ? [...reports, LEDGER_FILE] : reports;
  const aside = exist ? mkdtempSync(join(reportDir, ASIDE_PREFIX)) : null;
  if (aside !== null) moveFiles(names, reportDir, aside);
  removeReports(reportDir);
  const drop = (): readonly string[] => {
    if (aside === null) return [];
    const left = names.filter((name) => !existsSync(join(reportDir, name)));
    const kept = keepReports(left, aside, reportDir);
    rmSync(aside, { recursive: true, force: true });
    return kept;
  };
  const restore = (): void => {
    if (aside === null) return;
    removeReports(reportDir);
    moveFiles(names, aside, reportDir);
    drop();
  };
  return { exist, restore, drop };
}

/** Folder for the last report in each format that a later run did not write. */
export const EARLIER_FOLDER = 'earlier';

/** Removes the report of an earlier proxy, but keeps formats that the new one lacks. Throws UsageError if a run wrote it. */
export function makeRoomForProxy(configuration: Pick<RunConfiguration, 'reportDir' | 'report'>): void {
  const { reportDir, report } = configuration;
  if (existsSync(join(reportDir, LEDGER_FILE)))
    throw new UsageError(
      `--report-dir ${reportDir} has the report of a run, which would be lost. Name another folder, or remove it first.`,
    );
  const written = namesOfFormats(report);
  const others = reportFilesIn(reportDir).filter((name) => !written.includes(name));
  keepReports(others, reportDir, reportDir);
  removeReports(reportDir);
}

/** Moves readable reports to the folder for earlier ones, but not the traffic, the ledger or the Allure results. */
function keepReports(names: readonly string[], from: string, reportDir: string): readonly string[] {
  const reports = names.filter((name) => name !== 'cassette' && name !== LEDGER_FILE && !name.includes(sep));
  if (reports.length > 0) moveFiles(reports, from, join(reportDir, EARLIER_FOLDER));
  return reports;
}

/** Whether the folder contains only files of the cassette format. Anything else stays where it is. */
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

/** Creates the report folder. Throws UsageError before the run if nothing can be written there. */
export function makeReportFolder(dir: string): void {
  // Permissions alone do not reveal a full disk or a read-only file system.
  const trial = join(dir, `.assay-${process.pid}`);
  try {
    makeDirectory(dir);
    rmSync(trial, { force: true });
    writeFileSync(trial, 'x', { flag: 'wx' });
    rmSync(trial);
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError(
      `--report-dir ${dir}: nothing can be written there (${why}). Name a folder that may be written.`,
    );
  }
}

/** The ledger of an earlier run, set aside for `assay cleanup`. */
export interface EarlierLedger {
  /** Path at which it was found: `ledger.jsonl` in the report folder. */
  readonly file: string;
  /** Path to which it was moved: in the same folder, named after the tag of its run, so that ledgers do not collide. */
  readonly aside: string;
  /** The objects that may still be on the target; null if the file could not be read. */
  readonly left: { readonly baseUrl: string; readonly objects: number } | null;
}

/** Sets aside the ledger of a run that left objects on its target. Null if there is none. */
export function keepEarlierLedger(reportDir: string): EarlierLedger | null {
  const file = join(reportDir, LEDGER_FILE);
  if (!isBegun(file)) return null;
  const read = readLedgerIn(file);
  const objects = read?.entries.filter(needsCleanup).length ?? 0;
  if (read !== null && objects === 0) return null;
  // A tag of any other form, such as `../x`, could name a file elsewhere.
  const tag = read !== null && isRunTag(read.header.tag) ? read.header.tag : `unreadable-${Date.now()}`;
  const aside = join(reportDir, `ledger-${tag}.jsonl`);
  renameSync(file, aside);
  return { file, aside, left: read === null ? null : { baseUrl: read.header.baseUrl, objects } };
}

/** Whether a ledger has its first line, which is written before any object is created. */
function isBegun(file: string): boolean {
  try {
    return readRegularFile(file).includes('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Reads a ledger; null if the file is not one. Such a file is kept too: it may list objects. */
function readLedgerIn(file: string): ReturnType<typeof readLedger> | null {
  try {
    return readLedger(file);
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}
