import type { Note, TraceHeader } from '../trace.ts';
import type { JournalEvent } from './lines.ts';

export interface TraceReceiver {
  /** Called first. */
  begin(header: TraceHeader): void;
  /** The lines of an ended exchange, for `assembleExchange`; a promise if traffic has to wait for the receiver. */
  exchange(lines: readonly JournalEvent[]): Promise<void> | null;
  /** A note may arrive before exchanges that ended earlier than it; its `after` states its position among the ends. */
  note(note: Note): void;
  /** Called last, when all exchanges have ended. */
  end(): void;
}
