import type { Redactor } from '../../redaction/redactor.ts';
import type { JournalEvent } from '../format/lines.ts';
import type { LineWithoutBody } from '../format/write-line.ts';
import type { Blobs } from './blobs.ts';
import type { OpenRecordings } from './open-recordings.ts';

/** What a recording needs of its cassette. */
export interface RecordingHost {
  readonly redactor: Redactor;
  readonly blobs: Blobs;
  /** False where the exchange is only given to `onLines`, and kept nowhere. */
  readonly isKept: boolean;
  readonly keepRequests: number;
  readonly collect: boolean;
  /** Gets the lines of each exchange that has ended; the end waits for it. */
  readonly onLines: ((lines: readonly JournalEvent[]) => Promise<unknown> | null) | null;
  /** `body` goes into the line, as text or base64. */
  write(event: LineWithoutBody, body: Uint8Array | null): void;
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
