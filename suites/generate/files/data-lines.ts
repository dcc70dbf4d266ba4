// Server-sent events may spread their data over several `data:` lines; the specification states one line per
// event.

import { inEvents } from '../../vocabulary/changes.ts';
import { frameWithData } from '../../vocabulary/exchanges.ts';
import { violation } from '../../vocabulary/statements.ts';
import type { Mutation, StreamEvent, Violation } from '../../vocabulary/types.ts';

/** Events whose data come in several lines: readers join these by line feeds, which no JSON on one line holds. */
export function severalLines(events: readonly StreamEvent[]): Violation[] {
  return events
    .filter(({ text }) => text.includes('\n'))
    .map(({ at, text }) => violation(at, 'one line of data', `${text.split('\n').length} lines`));
}

/** Spreads the data of events over lines, as a pretty printer does: of all of them, or of the first. */
export function overSeveralLines(operation: string, which: 'all' | 'first' = 'all'): Mutation {
  return inEvents(operation, (frames) =>
    frames.map((frame, i) => {
      if (!frame.data.startsWith('{') || (which === 'first' && i > 0)) return frame;
      return frameWithData(frame.event, JSON.stringify(JSON.parse(frame.data), null, 1));
    }),
  );
}
