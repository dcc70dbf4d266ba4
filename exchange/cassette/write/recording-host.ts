import type { Redactor } from '../../redaction/redactor.ts';
import type { JournalEvent } from '../format/lines.ts';
import type { LineWithoutBody } from '../format/write-line.ts';
import type { Blobs } from './blobs.ts';
import type { OpenRecordings } from './open-recordings.ts';

/** The services of a cassette writer that one recording uses. */
export interface RecordingHost {
  /** Replaces secrets before anything is kept. */
  readonly redactor: Redactor;
  /** Store for bodies that are too large for a line. */
  readonly blobs: Blobs;
  /** False where the exchange is only given to `onLines`, and kept nowhere. */
  readonly isKept: boolean;
  /** Largest request body that is kept. Bytes. */
  readonly keepRequests: number;
  /** Whether `end` returns the exchange. */
  readonly collect: boolean;
  /** Gets the lines of each exchange that has ended; the end waits for it. */
  readonly onLines: ((lines: readonly JournalEvent[]) => Promise<unknown> | null) | null;
  /** `body` goes into the line, as text or base64. */
  write(event: LineWithoutBody, body: Uint8Array | null): void;
  /** Takes secrets that have become known out of what is kept already. Throws CassetteError where the disk refuses. */
  search(): void;
  /** Gets the lines of an exchange that has ended, where the cassette collects them. */
  whole(lines: readonly JournalEvent[]): void;
  remark(message: string): void;
  /** Registers an end, and gives its ordinal. */
  ended(): number;
  /** Keeps its promise when all that was written is in the file. */
  commit(): Promise<null>;
  /** The cassette is not finished before this has settled. */
  track(ending: Promise<unknown>): void;
  /** Recordings that have not ended. */
  readonly open: OpenRecordings;
}
