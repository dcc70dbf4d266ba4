// The event `done`: it ends the stream, once the run has ended or waits for the caller.

import { appendEvent } from '../../vocabulary/changes.ts';
import { frameWithData } from '../../vocabulary/exchanges.ts';
import { textAt } from '../../vocabulary/json.ts';
import { where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import { eventViolation } from './event-violations.ts';
import {
  dropRunEvents,
  duplicateRunEvents,
  eventsNamed,
  inEachOperation,
  moveRunEvents,
  rewriteRunStreams,
} from './mutations.ts';
import {
  COMPLETED,
  firstEventOf,
  isPause,
  type RunStream,
  runStreams,
  runStreamsWith,
  STREAMING_OPERATIONS,
  WAITING,
} from './run-stream.ts';

const { stated } = section('1 Events');

export const runsStreamDoneEndsStream = stated('runs.stream.done-ends-stream', {
  says: 'A stream that contains the end of its run ends with the event done.',
  selector: where(runStreams(), (stream) => stream.ended && !isWaiting(stream)),
  check: ({ events }) => {
    const last = events.at(-1);
    if (last?.subject === 'done') return [];
    return [violation(last?.at ?? 'stream', 'done as the last event', last?.name)];
  },
  mutations: {
    'no done': dropRunEvents(eventsNamed('done')),
    'done too early': moveRunEvents(eventsNamed('done'), 'front'),
    'done without its name': rewriteRunStreams((frames) =>
      frames.map((frame) => (frame.event === 'done' ? frameWithData('', frame.data) : frame)),
    ),
  },
});

export const runsStreamNothingAfterDone = stated('runs.stream.nothing-after-done', {
  says: 'Nothing follows the event done.',
  selector: runStreamsWith('done'),
  check: (stream) => {
    const done = firstEventOf(stream, 'done')?.n ?? 0;
    const later = [...stream.events, ...stream.unlisted].filter(({ n }) => n > done);
    return later.map(({ at, name }) => violation(at, 'no such event here', name));
  },
  mutations: {
    'done twice': duplicateRunEvents(eventsNamed('done')),
    'another event follows': inEachOperation(STREAMING_OPERATIONS, (operation) =>
      appendEvent(operation, 'ping', {}),
    ),
    'the completion follows': moveRunEvents(eventsNamed(COMPLETED), 'back'),
  },
});

export const runsStreamDoneAfterTheEnd = stated('runs.stream.done-after-the-end', {
  says: 'The event done comes only once the run has ended, or waits for the caller.',
  selector: runStreamsWith('done'),
  check: (stream) => {
    const done = firstEventOf(stream, 'done');
    const isRest = stream.runs.some(({ name, place }) => place < (done?.place ?? 0) && isPause(name));
    // The events of a run that neither completes nor waits are up to the target.
    if (done === undefined || isRest || stream.unlisted.some((event) => event.n < done.n && isOfARun(event)))
      return [];
    return [eventViolation(done, 'the end of the run before it')];
  },
  mutations: {
    'no end': dropRunEvents((frames) => [...eventsNamed(COMPLETED)(frames), ...eventsNamed(WAITING)(frames)]),
    'done first': moveRunEvents(eventsNamed('done'), 'front'),
  },
});

function isOfARun({ data }: RunStream['unlisted'][number]): boolean {
  return textAt(data, 'object') === 'thread.run';
}

/** Whether `done` follows a run that waits is left open. */
function isWaiting({ runs, unlisted }: RunStream): boolean {
  const last = runs.at(-1);
  const later = unlisted.some(({ n, data }) => n > (last?.n ?? 0) && textAt(data, 'object') === 'thread.run');
  return last?.name === WAITING && !later;
}
