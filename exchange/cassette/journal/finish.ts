import { existsSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../schemas/error-message.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { CassetteError } from '../error.ts';
import { contentsOf, refuseDisguised, removeCassette } from '../read/contents.ts';
import { Blobs } from '../write/blobs.ts';
import { entryKind, isFolder } from '../write/entry.ts';
import { refuseForeignFiles } from '../write/foreign-files.ts';
import { LineFile } from '../write/line-file.ts';
import { lockCassette } from '../write/lock.ts';
import { holdsRecording, recordingDir, replacedDir } from '../write/places.ts';
import { recoveredSecrets } from './recovered-secrets.ts';
import { finishInto, unfinishedIn } from './unfinished.ts';

/** Options of making a cassette from its journal. */
export interface FinishOptions {
  /** Knows secrets that were learned after they may have been written: they are replaced now. */
  readonly redactor?: Redactor | null;
}

/**
 * Makes the cassette of what was recorded and left unfinished in `dir`, or beside it to replace it. Does nothing where
 * there is nothing to do. Throws CassetteError when it is in use, damaged, or cannot be written.
 */
export function finishCassette(dir: string, options: FinishOptions = {}): void {
  const { redactor = null } = options;
  const beside = recordingDir(dir);
  if (holdsAny(beside)) finishBeside(beside, dir, redactor);
  else if (holds(dir, 'journal.jsonl')) finishInPlace(dir, redactor);
}

/**
 * Makes a cassette of what a killed recorder left: of its additions, or of the first recording, never of half a replacement.
 * Gives whether there was anything to do. Throws as `finishCassette`.
 */
export function recoverCassette(dir: string): boolean {
  const isHere = holds(dir, 'journal.jsonl');
  if (isHere) finishInPlace(dir, null);
  const beside = recordingDir(dir);
  if (holds(dir, 'cassette.jsonl') || !holdsAny(beside)) return isHere;
  finishBeside(beside, dir, null);
  return true;
}

/** Whether a folder has a file of this name. */
function holds(dir: string, name: string): boolean {
  return entryKind(join(dir, name)) !== null;
}

/** Whether a folder has a journal or a cassette. */
function holdsAny(dir: string): boolean {
  return isFolder(dir) && holdsRecording(dir);
}

/** Makes the cassette in the folder of its journal. */
function finishInPlace(dir: string, redactor: Redactor | null): void {
  refuseDisguised(dir);
  const unlock = lockCassette(dir);
  try {
    recoverIn(dir, redactor);
  } finally {
    unlock();
  }
}

/** Makes the cassette in the folder beside it, then replaces the earlier one. */
function finishBeside(beside: string, dir: string, redactor: Redactor | null): void {
  refuseForeignFiles(beside);
  const unlock = lockCassette(beside);
  try {
    recoverIn(beside, redactor);
    if (holds(beside, 'cassette.jsonl')) installCassette(beside, dir);
  } finally {
    unlock(existsSync(beside) ? beside : dir);
  }
}

/** As `finishIn`, where a journal was left behind. Without a redactor, late secrets are recognised by what the journal holds. */
export function recoverIn(dir: string, redactor: Redactor | null = null): void {
  if (holds(dir, 'journal.jsonl')) finishIn(dir, redactor ?? recoveredSecrets(dir, new Blobs(dir)));
}

/** Turns the journal of a folder into its cassette. The caller holds the lock. Killed at any point, it can be done again. */
export function finishIn(dir: string, redactor: Redactor | null): void {
  const unfinished = unfinishedIn(dir);
  // Killed before the first line was whole: nothing was recorded.
  if (unfinished !== null) finishInto(placeIn(dir), unfinished, redactor);
  unlinkSync(join(dir, 'journal.jsonl'));
}

/** Where the cassette of a folder is made. Throws CassetteError when it cannot be written. */
export function placeIn(dir: string) {
  return {
    dir,
    lines: new LineFile(join(dir, 'cassette.jsonl')),
    timing: new LineFile(join(dir, 'timing.jsonl')),
    blobs: new Blobs(dir),
  };
}

/**
 * Puts a finished cassette in the place of an older one, its lock with it: no other process can begin to write in between.
 * Killed halfway, `finishCassette` completes it.
 */
export function installCassette(work: string, dir: string): void {
  const old = replacedDir(dir);
  refuseForeignFiles(dir);
  refuseForeignFiles(old);
  try {
    if (existsSync(dir)) {
      removeReplaced(old, dir);
      if (entryKind(old) !== null)
        throw new CassetteError('not-empty', `${old} is in the way, and is not empty: remove it.`);
      renameSync(dir, old);
    }
    renameSync(work, dir);
    removeReplaced(old, dir);
  } catch (error) {
    if (error instanceof CassetteError) throw error;
    throw new CassetteError('unwritable', `${work} cannot be moved to ${dir}: ${messageOf(error)}.`, error);
  }
}

/** Removes a cassette that was replaced; what other programs put beside it goes on to the new one. */
function removeReplaced(old: string, dir: string): void {
  if (entryKind(old) === null) return;
  for (const name of contentsOf(old).ignored) {
    if (!holds(dir, name)) renameSync(join(old, name), join(dir, name));
  }
  removeCassette(old);
}
