import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CassetteError } from './error.ts';

/** What a cassette consists of, what a killed recorder leaves, and what lies in folders that are empty to people. */
const OWN = /^(?:(?:cassette|timing|journal)\.jsonl(?:\.tmp)?|blobs|lock(?:\..*)?|\.DS_Store|\.gitkeep)$/;

/** So many names are told; the others are counted. */
const NAMED = 3;

/** Throws CassetteError where a recording that takes the place of a folder would take something else with it. */
export function refuseForeign(dir: string): void {
  if (!existsSync(dir)) return;
  if (!statSync(dir).isDirectory())
    throw new CassetteError(
      'not-empty',
      `${dir} is a file; a cassette is a folder. Record into another place.`,
    );
  const foreign = readdirSync(dir).filter((name) => !OWN.test(name));
  if (foreign.length === 0) return;
  const more = foreign.length > NAMED ? ` and ${foreign.length - NAMED} more` : '';
  const names = `${foreign.slice(0, NAMED).join(', ')}${more}`;
  throw new CassetteError(
    'not-empty',
    `${dir} holds what is no part of a cassette, and would be lost: ${names}. Record into a folder of its own.`,
  );
}

/** That there is no cassette in a place, and what is there in its stead. */
export function missing(dir: string): CassetteError {
  if (statSync(dir, { throwIfNoEntry: false })?.isFile() !== true) {
    const file = join(dir, 'cassette.jsonl');
    return new CassetteError(
      'missing',
      `${dir} holds no cassette: there is no ${file}. Record one, or check the path.`,
    );
  }
  const name = OWN.test(basename(dir))
    ? `Name the one that it is in: ${dirname(dir)}`
    : 'Name one; of a HAR file, assay har makes one';
  return new CassetteError('missing', `${dir} is a file; a cassette is a folder. ${name}.`);
}
