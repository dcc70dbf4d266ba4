import type { JournalEvent } from './cassette/format/lines.ts';
import type { Note, TraceHeader } from './trace.ts';

/** Receives a trace while it is recorded, as it is stored: without the secrets that are known by then. */
export interface TraceReceiver {
  /** Before anything else. */
  begin(header: TraceHeader): void;
  /** The lines of an exchange that has ended, for `assemble`; a promise where the traffic has to wait for the receiver. */
  exchange(lines: readonly JournalEvent[]): Promise<void> | null;
  /** Notes may come before exchanges that ended earlier: `after` has their place. */
  note(note: Note): void;
  /** Everything has been handed over. */
  end(): void;
}
