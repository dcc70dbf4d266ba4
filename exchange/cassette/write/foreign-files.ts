import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CassetteError } from '../error.ts';
import { contentsOf, isPart, refuseDisguised } from '../read/contents.ts';
import { entryKind } from './entry.ts';

/** So many names are listed; the others are counted. */
const LISTED = 3;

/** Throws CassetteError where a recording that takes the place of a folder would take something else with it. */
export function refuseForeignFiles(dir: string): void {
  if (entryKind(dir) === null) return;
  refuseNoFolder(dir);
  refuseDisguised(dir);
  const { foreign } = contentsOf(dir);
  if (foreign.length === 0) return;
  const more = foreign.length > LISTED ? ` and ${foreign.length - LISTED} more` : '';
  const names = `${foreign.slice(0, LISTED).join(', ')}${more}`;
  throw new CassetteError(
    'not-empty',
    `${dir} holds entries that are not part of a cassette, and would be lost: ${names}. Record into an empty folder.`,
  );
}

/** Throws CassetteError where a writer would write through a link, or into something that is not a folder. */
export function refuseNoFolder(dir: string): void {
  const kind = entryKind(dir);
  if (kind === null || kind === 'folder') return;
  if (kind === 'file')
    throw new CassetteError(
      'not-empty',
      `${dir} is a file; a cassette is a folder. Record into another place.`,
    );
  throw new CassetteError(
    'foreign',
    `${dir} is a link or a special file; a recording writes only into a folder. Name the folder that it leads to, or another one.`,
  );
}

/** Error for a folder without a cassette; the message describes what the folder contains. */
export function missingCassette(dir: string): CassetteError {
  if (statSync(dir, { throwIfNoEntry: false })?.isFile() !== true) {
    const file = join(dir, 'cassette.jsonl');
    return new CassetteError(
      'missing',
      `${dir} does not contain a cassette: ${file} is missing. Record one, or check the path.`,
    );
  }
  const name = isPart(basename(dir))
    ? `Name the one that it is in: ${dirname(dir)}`
    : 'Name one; of a HAR file, assay har makes one';
  return new CassetteError('missing', `${dir} is a file; a cassette is a folder. ${name}.`);
}
