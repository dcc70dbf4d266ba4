import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { type BlobStore, Blobs } from './blobs.ts';
import { openIfThere } from './entries.ts';
import { containsFile, missingCassetteError } from './folder.ts';
import { type CassetteFile, scanCassette } from './scan.ts';

export interface OpenFiles {
  /** Content of `cassette.jsonl`; in memory for an unfinished recording. */
  readonly lines: CassetteFile;
  /** Null without a timing file. */
  readonly timing: CassetteFile | null;
  /** Large bodies; for an unfinished recording, redacted ones and long streams are in memory. */
  readonly blobs: BlobStore;
  /** False if the recording was interrupted, or has not ended. */
  readonly isFinished: boolean;
  close(): void;
}

export function openFinished(dir: string): OpenFiles {
  const [file, timingFile] = [join(dir, 'cassette.jsonl'), join(dir, 'timing.jsonl')];
  const fd = openIfThere(file);
  if (fd === null) throw missingCassetteError(dir);
  try {
    const timing = openIfThere(timingFile);
    return {
      lines: { file, source: fd },
      timing: timing === null ? null : { file: timingFile, source: timing },
      blobs: new Blobs(dir),
      isFinished: true,
      close: () => {
        closeSync(fd);
        if (timing !== null) closeSync(timing);
      },
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

export function countExchangesIn(dir: string): number | null {
  if (!containsFile(dir, 'cassette.jsonl')) return null;
  const files = openFinished(dir);
  try {
    return scanCassette(files.lines).exchanges;
  } finally {
    files.close();
  }
}
