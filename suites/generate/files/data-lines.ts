// Server-sent events may spread their data over several `data:` lines; the specification states one line per
// event.

import type { StreamEvent } from '../../../judge/evidence/selectors/streams.ts';
import { inEvents } from '../../../judge/mutations/mutations.ts';
import { frameWithData } from '../../../judge/mutations/streams.ts';
import { violation } from '../../../judge/requirements/define.ts';
import type { Mutation, Violation } from '../../../judge/requirements/requirement.ts';

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
