import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { needsCleanup, readLedger } from '../../drive/cleanup/resource-ledger.ts';
import { ConfigurationError, type RunConfiguration } from '../../drive/configuration/configuration.ts';
import { contentsOf } from '../../exchange/cassette/read/contents.ts';
import { makeDirectory } from '../../exchange/directory.ts';
import { errorCode, messageOf } from '../../schemas/error-message.ts';
import { UsageError } from '../setup/usage-error.ts';
import { namesOfFormats, removeReports, reportFilesIn } from './write-reports.ts';

/** Prefix of the folder, inside the report folder, in which the files of an earlier run wait. */
const PREFIX = '.earlier-';
/** The list of what a run created. */
const LEDGER = 'ledger.jsonl';

/**
 * The reports and the traffic of an earlier run in the same folder, put aside while the next one runs. A run that breaks down leaves
 * none of them; one that never reached its target puts them back, because it has nothing to show instead.
 */
export class EarlierFiles {
  readonly #reportDir: string;
  /** Null where there was no report. */
  readonly #aside: string | null;
  /** Paths below either folder. */
  readonly #names: readonly string[];

  private constructor(reportDir: string, aside: string | null, names: readonly string[]) {
    this.#reportDir = reportDir;
    this.#aside = aside;
    this.#names = names;
  }

  /** Puts them aside, and removes what a killed run left of its own. Throws CassetteError where something else stands in the place of the traffic. */
  static putAside(reportDir: string): EarlierFiles {
    for (const name of readdirSync(reportDir).filter((one) => one.startsWith(PREFIX)))
      rmSync(join(reportDir, name), { recursive: true, force: true });
    const reports = reportFilesIn(reportDir);
    const isReport = reports.some((name) => name !== 'cassette');
    // The ledger of a run that removed everything; another one lies aside already.
    const names = existsSync(join(reportDir, LEDGER)) ? [...reports, LEDGER] : reports;
    if (!isReport || !isMovable(join(reportDir, 'cassette'))) {
      removeReports(reportDir);
      return new EarlierFiles(reportDir, null, []);
    }
    const aside = mkdtempSync(join(reportDir, PREFIX));
    move(names, reportDir, aside);
    removeReports(reportDir);
    return new EarlierFiles(reportDir, aside, names);
  }

  /** Whether there was a report. */
  get exist(): boolean {
    return this.#aside !== null;
  }

  /** Puts them back in the place of what the run wrote. */
  restore(): void {
    if (this.#aside === null) return;
    removeReports(this.#reportDir);
    move(this.#names, this.#aside, this.#reportDir);
    this.drop();
  }

  /** Removes them, but for the reports in formats that the run did not write; returns the names of these. */
  drop(): readonly string[] {
    const aside = this.#aside;
    if (aside === null) return [];
    const left = this.#names.filter((name) => !existsSync(join(this.#reportDir, name)));
    const kept = keepReports(left, aside, this.#reportDir);
    rmSync(aside, { recursive: true, force: true });
    return kept;
  }
}

/** Folder, inside the report folder, of the last report in each format that a later run did not write. */
export const EARLIER_FOLDER = 'earlier';

/**
 * Removes the report of an earlier proxy, but for formats that the next one does not write. Throws UsageError where the folder has
 * the report of a run.
 */
export function makeRoomForProxy({
  reportDir,
  report,
}: Pick<RunConfiguration, 'reportDir' | 'report'>): void {
  refuseReportOfRun(reportDir);
  keepOtherFormats(reportDir, report);
  removeReports(reportDir);
}

/** Moves the reports of an earlier run in other formats than the given ones to a separate folder. */
function keepOtherFormats(reportDir: string, formats: readonly string[]): void {
  const written = new Set(namesOfFormats(formats));
  keepReports(
    reportFilesIn(reportDir).filter((name) => !written.has(name)),
    reportDir,
    reportDir,
  );
}

/** Moves the reports among some files into the folder for earlier ones. Traffic, the ledger and results of Allure are not reports to read. */
function keepReports(names: readonly string[], from: string, reportDir: string): readonly string[] {
  const reports = names.filter((name) => name !== 'cassette' && name !== LEDGER && !name.includes(sep));
  if (reports.length > 0) move(reports, from, join(reportDir, EARLIER_FOLDER));
  return reports;
}

/** Whether the traffic is a folder of our files alone: one that is reached through a link, or has files of others, stays where it is. */
function isMovable(cassette: string): boolean {
  const status = lstatSync(cassette, { throwIfNoEntry: false });
  return status === undefined || (status.isDirectory() && contentsOf(cassette).ignored.length === 0);
}

function move(names: readonly string[], from: string, to: string): void {
  for (const name of names) {
    makeDirectory(dirname(join(to, name)));
    renameSync(join(from, name), join(to, name));
  }
}

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

/** The ledger of an earlier run that was put aside, for `assay cleanup`. */
export interface EarlierLedger {
  /** Where it was, and where it is now. */
  readonly file: string;
  /** Beside the file, named after the tag of its run, so that several interrupted runs keep theirs apart. */
  readonly aside: string;
  /** The target, and how many objects may still be on it; null where the file could not be read. */
  readonly left: { readonly baseUrl: string; readonly objects: number } | null;
}

/** A run that broke off leaves a ledger of things still on its target: it is put aside, never written over. Null without one. */
export function keepEarlierLedger(reportDir: string): EarlierLedger | null {
  const file = join(reportDir, 'ledger.jsonl');
  if (!isBegun(file)) return null;
  const read = contents(file);
  const objects = read?.entries.filter(needsCleanup).length ?? 0;
  // Everything in it was removed, so that it can be replaced.
  if (read !== null && objects === 0) return null;
  const aside = join(reportDir, `ledger-${read?.header.tag ?? `unreadable-${Date.now()}`}.jsonl`);
  renameSync(file, aside);
  return { file, aside, left: read === null ? null : { baseUrl: read.header.baseUrl, objects } };
}

/** The first line is written before anything is made: without it there is nothing to remember. */
function isBegun(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * The ledger; null where the file is not one. An unreadable file is kept, too: it may list objects on a
 * target.
 */
function contents(file: string): ReturnType<typeof readLedger> | null {
  try {
    return readLedger(file);
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}
