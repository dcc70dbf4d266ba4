import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobStore } from '../write/blob-store.ts';
import { Blobs } from '../write/blobs.ts';
import { openIfThere } from '../write/entry.ts';
import { missingCassette } from '../write/foreign-files.ts';
import type { Lines } from './cassette-index.ts';

/** The files of a cassette, open for reading: on the disk, or in memory where they were made of a journal. */
export interface OpenFiles {
  /** The lines of the cassette. */
  readonly lines: Lines;
  /** Null without a timing lane. */
  readonly timing: Lines | null;
  /** Bodies beside the lines. */
  readonly blobs: BlobStore;
  close(): void;
}

/** Opens the cassette of a folder. Throws CassetteError where the cassette is missing, or its files are not regular ones. */
export function openFinished(dir: string): OpenFiles {
  const [file, lane] = [join(dir, 'cassette.jsonl'), join(dir, 'timing.jsonl')];
  const fd = openIfThere(file);
  if (fd === null) throw missingCassette(dir);
  try {
    const timing = openIfThere(lane);
    return {
      lines: { file, source: fd },
      timing: timing === null ? null : { file: lane, source: timing },
      blobs: new Blobs(dir),
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
