// Order of the events of a run from its creation to its first step or message (part 1, Run and Events).

import { setValue } from '../../vocabulary/changes.ts';
import { where } from '../../vocabulary/selectors.ts';
import { section } from '../../vocabulary/statements.ts';
import { eventViolation, unexpectedEvent } from './event-violations.ts';
import {
  dropRunEvents,
  duplicateRunEvents,
  eventsNamed,
  insertAfterRunEvents,
  moveRunEvents,
} from './mutations.ts';
import {
  COMPLETED,
  firstEventOf,
  isPause,
  type RunStreamEvent,
  runStreams,
  runStreamsWith,
  WAITING,
} from './run-stream.ts';

const { stated } = section('1 Run');
const EVENTS = '1 Events';
const CREATED = 'thread.run.created';
const QUEUED = 'thread.run.queued';
const IN_PROGRESS = 'thread.run.in_progress';

export const runsStreamCreatedFirst = stated('runs.stream.created-first', {
  says: 'No event about a run, its steps or its messages precedes thread.run.created.',
  selector: where(runStreams(), ({ events }) => events.some(isOfRun)),
  check: ({ events }) => {
    const first = events.find(isOfRun);
    return first === undefined || first.name === CREATED ? [] : [eventViolation(first, CREATED)];
  },
  mutations: {
    'never told': dropRunEvents(eventsNamed(CREATED)),
    'told last': moveRunEvents(eventsNamed(CREATED), 'back'),
    'queued before it': moveRunEvents(eventsNamed(QUEUED), 'front'),
  },
});

export const runsStreamCreatedOnce = stated('runs.stream.created-once', {
  spec: EVENTS,
  says: 'A run is created once in its stream.',
  selector: runStreamsWith(CREATED),
  check: ({ runs }) =>
    runs
      .filter(({ name }) => name === CREATED)
      .slice(1)
      .map(unexpectedEvent),
  mutations: {
    'created twice': duplicateRunEvents(eventsNamed(CREATED)),
    'created again in the end': insertAfterRunEvents(COMPLETED, CREATED, setValue('/status', 'queued')),
  },
});

export const runsStreamQueuedBeforeInProgress = stated('runs.stream.queued-before-in-progress', {
  says: 'Between thread.run.created and thread.run.in_progress a stream contains thread.run.queued.',
  selector: runStreamsWith(IN_PROGRESS),
  check: (stream) => {
    const begun = firstEventOf(stream, IN_PROGRESS);
    const waited = firstEventOf(stream, QUEUED);
    if (begun === undefined || (waited !== undefined && waited.place < begun.place)) return [];
    return [eventViolation(begun, `${QUEUED} before it`)];
  },
  mutations: {
    'never told': dropRunEvents(eventsNamed(QUEUED)),
    'told last': moveRunEvents(eventsNamed(QUEUED), 'back'),
  },
});

export const runsStreamInProgressBeforeWork = stated('runs.stream.in-progress-before-work', {
  says: 'Steps, messages, waiting and completion of a run come after thread.run.in_progress.',
  selector: where(runStreams(), ({ events }) => events.some(isWork)),
  check: ({ events }) => {
    const work = events.find(isWork);
    const before = events.slice(0, work?.place).some(({ name }) => name === IN_PROGRESS);
    return work === undefined || before ? [] : [eventViolation(work, `${IN_PROGRESS} before it`)];
  },
  mutations: {
    'never told': dropRunEvents(eventsNamed(IN_PROGRESS)),
    'told last': moveRunEvents(eventsNamed(IN_PROGRESS), 'back'),
    'a step before it': moveRunEvents(eventsNamed('thread.run.step.created'), 'front'),
    'a message before it': moveRunEvents(eventsNamed('thread.message.created'), 'front'),
    'completed before it': moveRunEvents(eventsNamed(COMPLETED), 'front'),
    'waiting before it': moveRunEvents(eventsNamed(WAITING), 'front'),
  },
});

function isOfRun({ subject }: RunStreamEvent): boolean {
  return subject === 'run' || subject === 'step' || subject === 'message';
}

/** Events that occur only while a run is processed. */
function isWork({ subject, name }: RunStreamEvent): boolean {
  return subject === 'step' || subject === 'message' || isPause(name);
}
