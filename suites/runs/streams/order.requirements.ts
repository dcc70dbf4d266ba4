import type { Json } from '../../../exchange/http/body.ts';
import { textAt } from '../../../judge/evidence/json.ts';
import { where } from '../../../judge/evidence/selectors/answers.ts';
import { appendEvent } from '../../../judge/mutations/mutations.ts';
import { frameWithData } from '../../../judge/mutations/streams.ts';
import { setValue } from '../../../judge/mutations/values.ts';
import { requirement } from '../../../judge/requirements/define.ts';
import type { Violation } from '../../../judge/requirements/requirement.ts';
import { overSeveralLines, severalLines } from '../../generate/files/data-lines.ts';
import {
  dropRunEvents,
  duplicateRunEvents,
  eventsNamed,
  inEachOperation,
  insertAfterRunEvents,
  lastEventNamed,
  moveRunEvents,
  renameRunEvents,
  rewriteRunStreams,
} from './mutations.ts';
import {
  COMPLETED,
  firstEventOf,
  isEventAbout,
  type RunStream,
  type RunStreamEvent,
  runStreams,
  runStreamsWith,
  STREAMING_OPERATIONS,
  WAITING,
} from './run-stream.ts';

const EVENTS = '1 Events';
const STATES = '1 Run';
const CREATED = 'thread.run.created';
const QUEUED = 'thread.run.queued';
const IN_PROGRESS = 'thread.run.in_progress';

export const runsStreamCreatedFirst = requirement({
  id: 'runs.stream.created-first',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'No event about a run, its steps or its messages precedes thread.run.created.',
  selector: where(runStreams(), ({ told }) => told.some(isOfRun)),
  check: ({ told }) => {
    const first = told.find(isOfRun);
    return first === undefined || first.name === CREATED ? [] : [asEvent(first, CREATED)];
  },
  mutations: {
    'never told': dropRunEvents(eventsNamed(CREATED)),
    'told last': moveRunEvents(eventsNamed(CREATED), 'back'),
    'queued before it': moveRunEvents(eventsNamed(QUEUED), 'front'),
  },
});

export const runsStreamCreatedOnce = requirement({
  id: 'runs.stream.created-once',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'A run is created once in its stream.',
  selector: runStreamsWith(CREATED),
  check: ({ runs }) =>
    runs
      .filter(({ name }) => name === CREATED)
      .slice(1)
      .map(unexpected),
  mutations: {
    'created twice': duplicateRunEvents(eventsNamed(CREATED)),
    'created again in the end': insertAfterRunEvents(COMPLETED, CREATED, setValue('/status', 'queued')),
  },
});

export const runsStreamQueuedBeforeInProgress = requirement({
  id: 'runs.stream.queued-before-in-progress',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'Between thread.run.created and thread.run.in_progress a stream contains thread.run.queued.',
  selector: runStreamsWith(IN_PROGRESS),
  check: (stream) => {
    const begun = firstEventOf(stream, IN_PROGRESS);
    const waited = firstEventOf(stream, QUEUED);
    if (begun === undefined || (waited !== undefined && waited.place < begun.place)) return [];
    return [asEvent(begun, `${QUEUED} before it`)];
  },
  mutations: {
    'never told': dropRunEvents(eventsNamed(QUEUED)),
    'told last': moveRunEvents(eventsNamed(QUEUED), 'back'),
  },
});

export const runsStreamInProgressBeforeWork = requirement({
  id: 'runs.stream.in-progress-before-work',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'Steps, messages, waiting and completion of a run come after thread.run.in_progress.',
  selector: where(runStreams(), ({ told }) => told.some(isWork)),
  check: ({ told }) => {
    const work = told.find(isWork);
    const before = told.slice(0, work?.place).some(({ name }) => name === IN_PROGRESS);
    return work === undefined || before ? [] : [asEvent(work, `${IN_PROGRESS} before it`)];
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

export const runsStreamAllEndedAtCompletion = requirement({
  id: 'runs.stream.all-ended-at-completion',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'When a run completes, its steps and messages have ended.',
  selector: where(runStreamsWith(COMPLETED), ({ steps, messages }) => steps.length + messages.length > 0),
  check: (stream) => {
    const end = firstEventOf(stream, COMPLETED)?.place ?? 0;
    return [...stream.steps, ...stream.messages].flatMap(({ id, told }): Violation[] => {
      const [first] = told;
      const isOver = told.some(({ verb, place }) => verb === 'completed' && place < end);
      if (first === undefined || isOver || isEventAbout(stream, id)) return [];
      return [{ at: first.at, expected: `an end of ${first.subject} ${id} before ${COMPLETED}`, actual: id }];
    });
  },
  mutations: {
    'a step goes on': dropRunEvents(eventsNamed('thread.run.step.completed')),
    'a message goes on': dropRunEvents(eventsNamed('thread.message.completed')),
    'a step ends later': moveRunEvents(lastEventNamed('thread.run.step.completed'), 'back'),
    'a message ends later': moveRunEvents(lastEventNamed('thread.message.completed'), 'back'),
  },
});

export const runsStreamNothingAfterCompletion = requirement({
  id: 'runs.stream.nothing-after-completion',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'After thread.run.completed a stream contains nothing more than done.',
  selector: runStreamsWith(COMPLETED),
  check: (stream) =>
    stream.told
      .slice((firstEventOf(stream, COMPLETED)?.place ?? 0) + 1)
      .filter(({ subject }) => subject !== 'done')
      .map(unexpected),
  mutations: {
    'a delta follows': moveRunEvents(lastEventNamed('thread.message.delta'), 'back'),
    'a step ends after it': moveRunEvents(lastEventNamed('thread.run.step.completed'), 'back'),
    'completed twice': duplicateRunEvents(eventsNamed(COMPLETED)),
    'in progress again': moveRunEvents(eventsNamed(IN_PROGRESS), 'back'),
  },
});

export const runsStreamDoneEndsStream = requirement({
  id: 'runs.stream.done-ends-stream',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'A stream that contains the end of its run ends with the event done.',
  selector: where(runStreams(), (stream) => stream.ended && !isWaiting(stream)),
  check: ({ told }) => {
    const last = told.at(-1);
    if (last?.subject === 'done') return [];
    return [{ at: last?.at ?? 'stream', expected: 'done as the last event', actual: last?.name }];
  },
  mutations: {
    'no done': dropRunEvents(eventsNamed('done')),
    'done too early': moveRunEvents(eventsNamed('done'), 'front'),
    'done without its name': rewriteRunStreams((frames) =>
      frames.map((frame) => (frame.event === 'done' ? frameWithData('', frame.data) : frame)),
    ),
  },
});

export const runsStreamNothingAfterDone = requirement({
  id: 'runs.stream.nothing-after-done',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'Nothing follows the event done.',
  selector: runStreamsWith('done'),
  check: (stream) => {
    const done = firstEventOf(stream, 'done')?.n ?? 0;
    const later = [...stream.told, ...stream.unlisted].filter(({ n }) => n > done);
    return later.map(({ at, name }) => ({ at, expected: 'no such event here', actual: name }));
  },
  mutations: {
    'done twice': duplicateRunEvents(eventsNamed('done')),
    'another event follows': inEachOperation(STREAMING_OPERATIONS, (operation) =>
      appendEvent(operation, 'ping', {}),
    ),
    'the completion follows': moveRunEvents(eventsNamed(COMPLETED), 'back'),
  },
});

export const runsStreamDoneAfterTheEnd = requirement({
  id: 'runs.stream.done-after-the-end',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'The event done comes only once the run has ended, or waits for the caller.',
  selector: runStreamsWith('done'),
  check: (stream) => {
    const done = firstEventOf(stream, 'done');
    const isRest = stream.runs.some(({ name, place }) => place < (done?.place ?? 0) && isRestName(name));
    // The events of a run that neither completes nor waits are up to the target.
    if (done === undefined || isRest || stream.unlisted.some((event) => event.n < done.n && isOfARun(event)))
      return [];
    return [asEvent(done, 'the end of the run before it')];
  },
  mutations: {
    'no end': dropRunEvents((frames) => [...eventsNamed(COMPLETED)(frames), ...eventsNamed(WAITING)(frames)]),
    'done first': moveRunEvents(eventsNamed('done'), 'front'),
  },
});

export const runsStreamStatedNames = requirement({
  id: 'runs.stream.stated-names',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'An event whose data has a stated name appears under that name.',
  selector: where(runStreams(), ({ told, unlisted }) => told.length + unlisted.length > 0),
  check: (stream) =>
    stream.unlisted.flatMap((event): Violation[] => {
      const due = statedName(event.data);
      const id = textAt(event.data, 'id');
      // Events of other names may report the same once more.
      const isTold = stream.told.some(({ name, data }) => name === due && textAt(data, 'id') === id);
      return due === undefined || isTold ? [] : [{ at: event.at, expected: due, actual: event.name }];
    }),
  mutations: {
    'another name of the completion': renameRunEvents(COMPLETED, 'thread.run.done'),
    'another name of waiting': renameRunEvents(WAITING, 'thread.run.action_required'),
    'another name of the end of a message': renameRunEvents(
      'thread.message.completed',
      'thread.message.done',
    ),
    'another name of the end of a step': renameRunEvents('thread.run.step.completed', 'thread.run.step.done'),
  },
});

/** The name that the specification gives to the event with this data; undefined where it gives none. */
function statedName(data: Json | undefined): string | undefined {
  const [object, status] = [textAt(data, 'object'), textAt(data, 'status')];
  if (object === 'thread.run' && (status === 'completed' || status === 'requires_action'))
    return `thread.run.${status}`;
  const isPart = object === 'thread.run.step' || object === 'thread.message';
  return isPart && status === 'completed' ? `${object}.completed` : undefined;
}

function isOfARun({ data }: RunStream['unlisted'][number]): boolean {
  return textAt(data, 'object') === 'thread.run';
}

export const runsStreamOneDataLine = requirement({
  id: 'runs.stream.one-data-line',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'Each event is its name and one line of data.',
  selector: runStreams(),
  check: ({ told }) => severalLines(told),
  mutations: {
    'over several lines': inEachOperation(STREAMING_OPERATIONS, (operation) => overSeveralLines(operation)),
    'only the first of them': inEachOperation(STREAMING_OPERATIONS, (operation) =>
      overSeveralLines(operation, 'first'),
    ),
  },
});

export const runsStreamCompletedHasWork = requirement({
  id: 'runs.stream.completed-has-work',
  level: 'MUST',
  basis: 'implied',
  spec: '1 What the service does',
  says: 'A run that completes has made a step or written a message.',
  selector: runStreamsWith(COMPLETED),
  check: (stream) => {
    const kinds = ['thread.message', 'thread.run.step'];
    const isToldElsewhere = stream.unlisted.some(({ data }) => kinds.includes(textAt(data, 'object') ?? ''));
    if (stream.steps.length + stream.messages.length > 0 || isToldElsewhere) return [];
    return [
      {
        at: firstEventOf(stream, COMPLETED)?.at ?? 'stream',
        expected: 'a step or a message before it',
        actual: 'none',
      },
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

function isOfRun({ subject }: RunStreamEvent): boolean {
  return subject === 'run' || subject === 'step' || subject === 'message';
}

/** Events that occur only while a run is processed. */
function isWork({ subject, name }: RunStreamEvent): boolean {
  return subject === 'step' || subject === 'message' || isRestName(name);
}

function isRestName(name: string): boolean {
  return name === COMPLETED || name === WAITING;
}

/** Whether `done` follows a run that waits is left open. */
function isWaiting({ runs, unlisted }: RunStream): boolean {
  const last = runs.at(-1);
  const later = unlisted.some(({ n, data }) => n > (last?.n ?? 0) && textAt(data, 'object') === 'thread.run');
  return last?.name === WAITING && !later;
}

function asEvent({ at, name }: RunStreamEvent, expected: string): Violation {
  return { at, expected, actual: name };
}

function unexpected(event: RunStreamEvent): Violation {
  return asEvent(event, 'no such event here');
}
