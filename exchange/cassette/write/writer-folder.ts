import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../schemas/error-message.ts';
import { makeDirectory } from '../../directory.ts';
import type { TraceHeader } from '../../trace.ts';
import { CassetteError } from '../error.ts';
import { FORMAT_VERSION, type JournalHeader } from '../format/lines.ts';
import { recoverCassette, recoverIn } from '../journal/finish.ts';
import { Journal } from '../journal/journal.ts';
import { scanCassette } from '../read/cassette-index.ts';
import { emptyCassette, refuseDisguised } from '../read/contents.ts';
import { readFileLines } from '../read/file-lines.ts';
import { openFinished } from '../read/opened.ts';
import { entryKind, isFolder, writing } from './entry.ts';
import { refuseForeignFiles, refuseNoFolder } from './foreign-files.ts';
import { lockCassette, lockedBy } from './lock.ts';
import { failedDir, interruptedDir, quarantineDir, recordingDir, replacedDir } from './places.ts';

/** Treatment of an existing cassette: see `CassetteOptions`. */
export type WriteMode = 'create' | 'append' | 'replace';

/** A folder that is locked and has a new journal, and the journal's header. */
export interface OpenedFolder {
  /** The folder that is written to: the cassette's own, or with `replace` the one beside it. */
  readonly dir: string;
  /** First line of the journal. */
  readonly header: JournalHeader;
  readonly journal: Journal;
  /** Releases the lock; `dir` is where the lock file is by then. */
  readonly unlock: (dir?: string) => void;
}

/**
 * Locks the folder of a cassette and begins a journal in it. Throws CassetteError where the folder is in use, is not a cassette's,
 * cannot be written, or (with `create`) holds a cassette; the lock is released then.
 */
export function openFolder(
  dir: string,
  mode: WriteMode,
  header: TraceHeader,
  onFailure: (error: CassetteError) => void,
): OpenedFolder {
  const work = mode === 'replace' ? recordingDir(dir) : dir;
  refusePlaces(dir, mode);
  if (mode === 'append') recoverCassette(dir);
  if (mode === 'replace') keepInterrupted(work, dir);
  makePlace(work);
  const unlock = lockCassette(work);
  try {
    refuseBoth(dir, mode === 'replace' ? dir : recordingDir(dir));
    if (mode === 'replace') emptyCassette(work);
    const line: JournalHeader = {
      e: 'header',
      continues: prepare(work, mode),
      ...header,
      format: FORMAT_VERSION,
    };
    const journal = new Journal(join(work, 'journal.jsonl'), onFailure);
    journal.append(line);
    journal.flush();
    return { dir: work, header: line, journal, unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** One adds to a cassette while another replaces it: what is added would be lost. Each takes its own lock, then looks for the other's. */
function refuseBoth(dir: string, other: string): void {
  const holder = lockedBy(other);
  if (holder === null) return;
  const message = `${dir} is being recorded by process ${holder}. Record into another folder, or end that process first.`;
  throw new CassetteError('in-use', message);
}

/** Moves a recording aside, with a warning, that was killed before it could replace the cassette. One in which no exchange was begun is not kept. */
function keepInterrupted(work: string, dir: string): void {
  if (!isFolder(work) || !hasExchanges(work)) return;
  // Throws while another process records into the folder.
  const unlock = lockCassette(work);
  const place = interruptedDir(dir);
  try {
    writing(work, () => renameSync(work, place));
  } finally {
    unlock(existsSync(place) ? place : work);
  }
  const message = `An interrupted recording was in the way of a new one. It is kept in ${place}. Finish it there: npx assay recover ${place}`;
  process.emitWarning(message, 'CassetteWarning');
}

/** Whether a folder has a finished cassette, or a journal in which an exchange was begun. */
function hasExchanges(dir: string): boolean {
  if (entryKind(join(dir, 'cassette.jsonl')) !== null) return true;
  const journal = join(dir, 'journal.jsonl');
  if (entryKind(journal) === null) return false;
  let n = 0;
  for (const { whole } of readFileLines(journal)) {
    n += 1;
    if (n > 1 && whole) return true;
  }
  return false;
}

/** Throws CassetteError where a place that is to be written, or replaced, is a link, or holds what is not part of a cassette. */
function refusePlaces(dir: string, mode: WriteMode): void {
  if (mode === 'replace') {
    for (const place of [dir, recordingDir(dir), replacedDir(dir), failedDir(dir)]) refuseForeignFiles(place);
  } else {
    refuseNoFolder(dir);
    refuseDisguised(dir);
  }
  refuseForeignFiles(quarantineDir(dir));
}

/** Makes the folder fit for a new journal; gives how many exchanges it holds already. */
function prepare(dir: string, mode: WriteMode): number {
  recoverIn(dir);
  if (!existsSync(join(dir, 'cassette.jsonl'))) return 0;
  const files = openFinished(dir);
  try {
    const { exchanges } = scanCassette(files.lines);
    if (mode === 'append' || exchanges === 0) return exchanges;
    throw new CassetteError(
      'not-empty',
      `${dir} already holds a cassette of ${exchanges} exchanges. Record into another folder, add to it, or replace it.`,
    );
  } finally {
    files.close();
  }
}

/** Creates a folder. Throws CassetteError where that fails. */
function makePlace(dir: string): void {
  try {
    makeDirectory(dir);
  } catch (error) {
    throw new CassetteError('unwritable', `${dir} cannot be made: ${messageOf(error)}.`, error);
  }
}
