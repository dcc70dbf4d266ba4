// The work that the stream of a completed run shows.

import { frameWithData } from '../../vocabulary/exchanges.ts';
import { textAt } from '../../vocabulary/json.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import { dropRunEvents, rewriteRunStreams } from './mutations.ts';
import { COMPLETED, firstEventOf, runStreamsWith } from './run-stream.ts';

const { implied } = section('1 What the service does');

export const runsStreamCompletedHasWork = implied('runs.stream.completed-has-work', {
  says: 'A run that completes has made a step or written a message.',
  selector: runStreamsWith(COMPLETED),
  check: (stream) => {
    const kinds = ['thread.message', 'thread.run.step'];
    const isToldElsewhere = stream.unlisted.some(({ data }) => kinds.includes(textAt(data, 'object') ?? ''));
    if (stream.steps.length + stream.messages.length > 0 || isToldElsewhere) return [];
    return [
      violation(firstEventOf(stream, COMPLETED)?.at ?? 'stream', 'a step or a message before it', 'none'),
    ];
  },
  mutations: {
    'work without an id': rewriteRunStreams((frames) =>
      frames.map((frame) =>
        isOfWork(frame.event)
          ? frameWithData(frame.event, JSON.stringify({ ...JSON.parse(frame.data), id: null, object: null }))
          : frame,
      ),
    ),
    'nothing but the run': dropRunEvents((frames) =>
      frames.flatMap(({ event }, i) => (isOfWork(event) ? [i] : [])),
    ),
  },
});

/** Whether an event of this name is about a message or a step, the two kinds of objects that a run makes. */
function isOfWork(event: string): boolean {
  return /^thread\.(message|run\.step)\./.test(event);
}
