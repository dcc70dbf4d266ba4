import type { Redactor } from '../redaction/redactor.ts';
import type { Note } from '../trace.ts';
import type { CassetteError } from './error.ts';
import type { JournalEvent } from './format/lines.ts';
import type { WriteMode } from './write/writer-folder.ts';

/** How a cassette is recorded. */
export interface CassetteOptions {
  /** Takes out secrets; without one, only the header rules and the credentials met on the way are applied. */
  readonly redactor?: Redactor;
  /**
   * `create` (the default) refuses a folder that holds a cassette; `append` goes on with it; `replace` leaves the old
   * one in its place until the new one is finished.
   */
  readonly mode?: WriteMode;
  /** Whether `end` gives the exchange back. Default true; a proxy that only records says false. */
  readonly collect?: boolean;
  /**
   * Receives the lines of each exchange that has ended; the end waits for the promise. Plain data, which `assemble` turns
   * into an exchange in any thread.
   */
  readonly onLines?: (lines: readonly JournalEvent[]) => Promise<unknown> | null;
  /** Receives each note as it is stored, the recorder's own remarks included. */
  readonly onNote?: (note: Note) => void;
  /** When so many bytes are kept, whatever begins after that is only given to `onLines`, and not kept. Default: no end. */
  readonly most?: number;
  /** Largest request body, in bytes, that is kept whole. */
  readonly keepRequests?: number;
  /** Gets the error when writes to the disk begin to fail, and again only when one has succeeded since. */
  readonly onFailure?: (error: CassetteError) => void;
  /** Write the cassette while recording, so that finishing takes less time; not with `most`. Default false. */
  readonly ahead?: boolean;
}
