import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../directory.ts';
import { CassetteError, systemErrorMessage } from '../error.ts';
import { recoverIn } from '../journal/finish.ts';
import { scanCassette } from '../read/cassette-index.ts';
import { refuseDisguised } from '../read/contents.ts';
import { openFinished } from '../read/opened.ts';
import { refuseForeignFiles, refuseNoFolder } from './foreign-files.ts';
import { lockedBy } from './lock.ts';
import { failedDir, quarantineDir, recordingDir, replacedDir } from './places.ts';

/** What becomes of a cassette that is there: see `CassetteOptions`. */
export type WriteMode = 'create' | 'append' | 'replace';

/** One adds to a cassette while another replaces it: what is added would be lost. Each takes its own lock, then looks for the other's. */
export function refuseBoth(dir: string, other: string): void {
  const holder = lockedBy(other);
  if (holder === null) return;
  const message = `${dir} is being recorded by process ${holder}. Record into another folder, or end that process first.`;
  throw new CassetteError('in-use', message);
}

/** Throws CassetteError where a place that is to be written, or replaced, is a link, or holds what is not part of a cassette. */
export function refusePlaces(dir: string, mode: WriteMode): void {
  if (mode === 'replace') {
    for (const place of [dir, recordingDir(dir), replacedDir(dir), failedDir(dir)]) refuseForeignFiles(place);
  } else {
    refuseNoFolder(dir);
    refuseDisguised(dir);
  }
  refuseForeignFiles(quarantineDir(dir));
}

/** Makes the folder fit for a new journal; gives how many exchanges it holds already. */
export function begin(dir: string, mode: WriteMode): number {
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

export function makePlace(dir: string): void {
  try {
    makeDirectory(dir);
  } catch (error) {
    throw new CassetteError('unwritable', `${dir} cannot be made: ${systemErrorMessage(error)}.`, error);
  }
}
