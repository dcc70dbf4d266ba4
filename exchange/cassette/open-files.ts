import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../shell-quote.ts';
import { Blobs } from './blobs.ts';
import { BlobsInMemory } from './blobs-in-memory.ts';
import { CassetteError } from './cassette-error.ts';
import { entryKind } from './entries.ts';
import { explainIgnoredJournal, finishInto, unfinishedIn } from './finish.ts';
import { type OpenFiles, openFinished } from './finished-files.ts';
import { containsFile, recordingDir } from './folder.ts';
import { LinesInMemory } from './line-sink.ts';
import { recoverSecrets } from './recovered-secrets.ts';

const MAX_IN_MEMORY_BYTES = 256 * 1024 * 1024;

/**
 * Creates, changes and locks nothing; an unfinished cassette is assembled in memory. Throws CassetteError if the
 * cassette is missing, has links or special files, or is unfinished and damaged or too large for memory.
 */
export function openFiles(dir: string): OpenFiles {
  if (containsFile(dir, 'journal.jsonl')) {
    const unfinished = openUnfinished(dir);
    if (unfinished !== null) return unfinished;
    if (containsFile(dir, 'cassette.jsonl')) warnOfIgnoredJournal(dir);
    return openFinished(dir);
  }
  const recording = recordingDir(dir);
  if (containsFile(dir, 'cassette.jsonl') || entryKind(recording) !== 'folder') return openFinished(dir);
  // A partial replacement is never read, but an unfinished first recording is the cassette.
  const first = containsFile(recording, 'journal.jsonl') ? openUnfinished(recording) : null;
  return first ?? openFinished(containsFile(recording, 'cassette.jsonl') ? recording : dir);
}

function warnOfIgnoredJournal(dir: string): void {
  let reason: string | null;
  try {
    reason = explainIgnoredJournal(dir);
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    reason = `${error.message} The finished cassette is read.`;
  }
  if (reason !== null) process.emitWarning(reason, 'CassetteWarning');
}

function openUnfinished(dir: string): OpenFiles | null {
  const journal = join(dir, 'journal.jsonl');
  if ((lstatSync(journal, { throwIfNoEntry: false })?.size ?? 0) > MAX_IN_MEMORY_BYTES)
    throw new CassetteError(
      'unfinished',
      `${journal} belongs to an unfinished recording and is too large to be read into memory. Finish it: npx assay recover ${shellQuote(dir)}`,
    );
  const unfinished = unfinishedIn(dir);
  if (unfinished === null) return null;
  const [lines, timing] = [new LinesInMemory(), new LinesInMemory()];
  const blobs = new BlobsInMemory(new Blobs(dir));
  finishInto({ dir, lines, timing, blobs }, unfinished, recoverSecrets(dir, blobs));
  return {
    lines: { file: join(dir, 'cassette.jsonl'), source: lines.bytes() },
    timing: { file: join(dir, 'timing.jsonl'), source: timing.bytes() },
    blobs,
    isFinished: false,
    close: () => {},
  };
}
