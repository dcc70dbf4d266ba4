import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../folder.ts';
import { refuseDisguised } from './contents.ts';
import { because, CassetteError } from './error.ts';
import { recoverIn } from './finish.ts';
import { refuseForeign, refuseNoFolder } from './foreign.ts';
import { lockedBy } from './lock.ts';
import { openFinished } from './opened.ts';
import { failedDir, quarantineDir, recordingDir, replacedDir } from './places.ts';
import { scan } from './scan.ts';

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
    for (const place of [dir, recordingDir(dir), replacedDir(dir), failedDir(dir)]) refuseForeign(place);
  } else {
    refuseNoFolder(dir);
    refuseDisguised(dir);
  }
  refuseForeign(quarantineDir(dir));
}

/** Makes the folder fit for a new journal; gives how many exchanges it holds already. */
export function begin(dir: string, mode: WriteMode): number {
  recoverIn(dir);
  if (!existsSync(join(dir, 'cassette.jsonl'))) return 0;
  const files = openFinished(dir);
  try {
    const { exchanges } = scan(files.lines);
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
    makeFolder(dir);
  } catch (error) {
    throw new CassetteError('unwritable', `${dir} cannot be made: ${because(error)}.`, error);
  }
}
