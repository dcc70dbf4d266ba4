// The completion of a run in its stream: its steps and messages have ended before, and nothing but `done` follows.

import { frameWithData } from '../../vocabulary/exchanges.ts';
import { textAt } from '../../vocabulary/json.ts';
import { where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Violation } from '../../vocabulary/types.ts';
import { unexpectedEvent } from './event-violations.ts';
import {
  dropRunEvents,
  duplicateRunEvents,
  eventsNamed,
  lastEventNamed,
  moveRunEvents,
  rewriteRunStreams,
} from './mutations.ts';
import { COMPLETED, firstEventOf, isEventAbout, runStreamsWith } from './run-stream.ts';

const { stated, implied } = section('1 Run');
const IN_PROGRESS = 'thread.run.in_progress';

export const runsStreamAllEndedAtCompletion = stated('runs.stream.all-ended-at-completion', {
  says: 'When a run completes, its steps and messages have ended.',
  selector: where(runStreamsWith(COMPLETED), ({ steps, messages }) => steps.length + messages.length > 0),
  check: (stream) => {
    const end = firstEventOf(stream, COMPLETED)?.place ?? 0;
    return [...stream.steps, ...stream.messages].flatMap(({ id, events }): Violation[] => {
      const [first] = events;
      const isOver = events.some(({ verb, place }) => verb === 'completed' && place < end);
      if (first === undefined || isOver || isEventAbout(stream, id)) return [];
      return [violation(first.at, `an end of ${first.subject} ${id} before ${COMPLETED}`, id)];
    });
  },
  mutations: {
    'a step goes on': dropRunEvents(eventsNamed('thread.run.step.completed')),
    'a message goes on': dropRunEvents(eventsNamed('thread.message.completed')),
    'a step ends later': moveRunEvents(lastEventNamed('thread.run.step.completed'), 'back'),
    'a message ends later': moveRunEvents(lastEventNamed('thread.message.completed'), 'back'),
  },
});

export const runsStreamNothingAfterCompletion = stated('runs.stream.nothing-after-completion', {
  says: 'After thread.run.completed a stream contains nothing more than done.',
  selector: runStreamsWith(COMPLETED),
  check: (stream) =>
    stream.events
      .slice((firstEventOf(stream, COMPLETED)?.place ?? 0) + 1)
      .filter(({ subject }) => subject !== 'done')
      .map(unexpectedEvent),
  mutations: {
    'a delta follows': moveRunEvents(lastEventNamed('thread.message.delta'), 'back'),
    'a step ends after it': moveRunEvents(lastEventNamed('thread.run.step.completed'), 'back'),
    'completed twice': duplicateRunEvents(eventsNamed(COMPLETED)),
    'in progress again': moveRunEvents(eventsNamed(IN_PROGRESS), 'back'),
  },
});

export const runsStreamCompletedHasWork = implied('runs.stream.completed-has-work', {
  spec: '1 What the service does',
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

function isOfWork(event: string): boolean {
  return /^thread\.(message|run\.step)\./.test(event);
}
