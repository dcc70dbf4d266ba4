import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Redactor } from '../../redaction/redactor.ts';
import { CassetteError } from '../error.ts';
import type { JournalHeader } from '../format/lines.ts';
import { scanCassette } from '../read/cassette-index.ts';
import { BlobsInMemory, LinesInMemory } from '../read/in-memory.ts';
import { type OpenFiles, openFinished } from '../read/opened.ts';
import { Blobs } from '../write/blobs.ts';
import { entryKind } from '../write/entry.ts';
import { recordingDir } from '../write/places.ts';
import { Finisher, type FinishPlace } from './finisher.ts';
import { type JournalItem, readJournal } from './read-journal.ts';
import { recoveredSecrets } from './recovered-secrets.ts';

/** A journal larger than this is not read into memory. Bytes. */
const MOST_IN_MEMORY = 1024 * 1024 * 1024;

/** The content of a journal that is not in a cassette yet: empty where its first line is torn, or it was taken over already. */
export interface Unfinished {
  /** First line of the journal. */
  readonly header: JournalHeader;
  readonly item: Generator<JournalItem>;
}

/**
 * Reads the beginning of the journal of a folder. Null where nothing is to be made of it: its first line is torn, or it does not continue the finished
 * cassette beside it, which it never hides. Throws CassetteError.
 */
export function unfinishedIn(dir: string): Unfinished | null {
  const item = readJournal(join(dir, 'journal.jsonl'));
  const first = item.next().value;
  if (first === undefined || !('header' in first)) return null;
  const { header } = first;
  if ((exchangesIn(dir) ?? header.continues) !== header.continues) {
    item.return(undefined);
    return null;
  }
  return { header, item };
}

/**
 * Why the journal of a folder is not read although it is there: it does not continue the finished cassette beside it, and has exchanges that
 * are not in that cassette. Null where it was taken over by the cassette, or holds nothing. Throws CassetteError.
 */
export function strayJournal(dir: string): string | null {
  const file = join(dir, 'journal.jsonl');
  let begun = 0;
  let continues = 0;
  for (const item of readJournal(file)) {
    if ('header' in item) continues = item.header.continues;
    else if ('events' in item) begun += 1;
  }
  if (begun === 0 || continues + begun === exchangesIn(dir)) return null;
  return `${file} does not continue the finished cassette beside it, and is not read. Remove it, or move it to an empty folder and finish it there: npx assay recover DIR`;
}

/**
 * Adds all that a journal holds to a cassette in the making, and completes it. `redactor` knows secrets that were learned
 * late: they are replaced.
 */
export function finishInto(
  place: FinishPlace,
  { header, item: items }: Unfinished,
  redactor: Redactor | null,
): void {
  try {
    const finisher = new Finisher(place, header, redactor);
    for (const item of items) finisher.add(item);
    finisher.complete();
  } catch (error) {
    throw asDamage(error);
  }
}

/** Lines of a journal are not validated one by one: fields that are missing, or of another type or size, are met here. */
function asDamage(error: unknown): unknown {
  const isOfContent =
    error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  if (!isOfContent) return error;
  return new CassetteError(
    'malformed',
    `The journal of the recording is damaged: ${error.message}. Restore it from a copy, or record again.`,
    error,
  );
}

/** Number of exchanges in the cassette of a folder; null without a cassette. */
function exchangesIn(dir: string): number | null {
  if (entryKind(join(dir, 'cassette.jsonl')) === null) return null;
  const files = openFinished(dir);
  try {
    return scanCassette(files.lines).exchanges;
  } finally {
    files.close();
  }
}

/**
 * Opens the cassette of a folder for reading. One that was left unfinished is made in memory: nothing on the disk is created,
 * changed or locked. Throws CassetteError where the cassette is missing, or its files are not regular ones.
 */
export function openFiles(dir: string): OpenFiles {
  const holds = (folder: string, name: string) => entryKind(join(folder, name)) !== null;
  if (holds(dir, 'journal.jsonl')) {
    const unfinished = openUnfinished(dir);
    if (unfinished !== null) return unfinished;
    if (holds(dir, 'cassette.jsonl')) reportStray(dir);
    return openFinished(dir);
  }
  const beside = recordingDir(dir);
  if (holds(dir, 'cassette.jsonl') || entryKind(beside) !== 'folder') return openFinished(dir);
  // Never half of a replacement; but what was left of a first recording is the cassette.
  const first = holds(beside, 'journal.jsonl') ? openUnfinished(beside) : null;
  if (first !== null) return first;
  return openFinished(holds(beside, 'cassette.jsonl') ? beside : dir);
}

/** Warns about a journal that is not read. A damaged one says why in the warning. */
function reportStray(dir: string): void {
  const why = (() => {
    try {
      return strayJournal(dir);
    } catch (error) {
      if (error instanceof CassetteError) return `${error.message} The finished cassette is read.`;
      throw error;
    }
  })();
  if (why !== null) process.emitWarning(why, 'CassetteWarning');
}

/** Opens an unfinished recording read-only; null when it has no journal. */
function openUnfinished(dir: string): OpenFiles | null {
  const journal = join(dir, 'journal.jsonl');
  if ((lstatSync(journal, { throwIfNoEntry: false })?.size ?? 0) > MOST_IN_MEMORY)
    throw new CassetteError(
      'unfinished',
      `${journal} is of an unfinished recording, and too large to be read in memory. Finish it: npx assay recover ${dir}`,
    );
  const unfinished = unfinishedIn(dir);
  if (unfinished === null) return null;
  const [lines, timing] = [new LinesInMemory(), new LinesInMemory()];
  const blobs = new BlobsInMemory(new Blobs(dir));
  finishInto({ dir, lines, timing, blobs }, unfinished, recoveredSecrets(dir, blobs));
  return {
    lines: { file: join(dir, 'cassette.jsonl'), source: lines.bytes() },
    timing: { file: join(dir, 'timing.jsonl'), source: timing.bytes() },
    blobs,
    close: () => {},
  };
}
