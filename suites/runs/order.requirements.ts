import type { Json } from '../../exchange/body.ts';
import { appendEvent } from '../../judge/edit/breaks.ts';
import { frameWith } from '../../judge/edit/streams.ts';
import { put } from '../../judge/edit/values.ts';
import { text } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { overSeveralLines, severalLines } from '../generate/data-lines.ts';
import {
  doubled,
  dropped,
  followed,
  inEach,
  lastNamed,
  moved,
  named,
  renamed,
  rewritten,
} from './breaking.ts';
import {
  COMPLETED,
  firstOf,
  isSpokenOf,
  STREAMING,
  type Tale,
  type Told,
  tales,
  talesOf,
  WAITING,
} from './tale.ts';

const EVENTS = '1 Events';
const STATES = '1 Run';
const CREATED = 'thread.run.created';
const QUEUED = 'thread.run.queued';
const IN_PROGRESS = 'thread.run.in_progress';

export const createdFirst = requirement({
  id: 'runs.stream.created-first',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'Nothing is told of a run, its steps or its messages before thread.run.created.',
  on: only(tales(), ({ told }) => told.some(isOfRun)),
  check: ({ told }) => {
    const first = told.find(isOfRun);
    return first === undefined || first.name === CREATED ? [] : [asEvent(first, CREATED)];
  },
  breaks: {
    'never told': dropped(named(CREATED)),
    'told last': moved(named(CREATED), 'back'),
    'queued before it': moved(named(QUEUED), 'front'),
  },
});

export const createdOnce = requirement({
  id: 'runs.stream.created-once',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'A run is created once in its stream.',
  on: talesOf(CREATED),
  check: ({ runs }) =>
    runs
      .filter(({ name }) => name === CREATED)
      .slice(1)
      .map(unexpected),
  breaks: {
    'created twice': doubled(named(CREATED)),
    'created again in the end': followed(COMPLETED, CREATED, put('/status', 'queued')),
  },
});

export const queued = requirement({
  id: 'runs.stream.queued-before-in-progress',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'Between thread.run.created and thread.run.in_progress a stream tells thread.run.queued.',
  on: talesOf(IN_PROGRESS),
  check: (tale) => {
    const begun = firstOf(tale, IN_PROGRESS);
    const waited = firstOf(tale, QUEUED);
    if (begun === undefined || (waited !== undefined && waited.place < begun.place)) return [];
    return [asEvent(begun, `${QUEUED} before it`)];
  },
  breaks: { 'never told': dropped(named(QUEUED)), 'told last': moved(named(QUEUED), 'back') },
});

export const inProgress = requirement({
  id: 'runs.stream.in-progress-before-work',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'Steps, messages, waiting and completion of a run come after thread.run.in_progress.',
  on: only(tales(), ({ told }) => told.some(isWork)),
  check: ({ told }) => {
    const work = told.find(isWork);
    const before = told.slice(0, work?.place).some(({ name }) => name === IN_PROGRESS);
    return work === undefined || before ? [] : [asEvent(work, `${IN_PROGRESS} before it`)];
  },
  breaks: {
    'never told': dropped(named(IN_PROGRESS)),
    'told last': moved(named(IN_PROGRESS), 'back'),
    'a step before it': moved(named('thread.run.step.created'), 'front'),
    'a message before it': moved(named('thread.message.created'), 'front'),
    'completed before it': moved(named(COMPLETED), 'front'),
    'waiting before it': moved(named(WAITING), 'front'),
  },
});

export const allComplete = requirement({
  id: 'runs.stream.all-ended-at-completion',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'When a run completes, its steps and messages have ended.',
  on: only(talesOf(COMPLETED), ({ steps, messages }) => steps.length + messages.length > 0),
  check: (tale) => {
    const end = firstOf(tale, COMPLETED)?.place ?? 0;
    return [...tale.steps, ...tale.messages].flatMap(({ id, told }): Complaint[] => {
      const [first] = told;
      const isOver = told.some(({ verb, place }) => verb === 'completed' && place < end);
      if (first === undefined || isOver || isSpokenOf(tale, id)) return [];
      return [{ at: first.at, expected: `an end of ${first.subject} ${id} before ${COMPLETED}`, actual: id }];
    });
  },
  breaks: {
    'a step goes on': dropped(named('thread.run.step.completed')),
    'a message goes on': dropped(named('thread.message.completed')),
    'a step ends later': moved(lastNamed('thread.run.step.completed'), 'back'),
    'a message ends later': moved(lastNamed('thread.message.completed'), 'back'),
  },
});

export const nothingAfterCompletion = requirement({
  id: 'runs.stream.nothing-after-completion',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'After thread.run.completed a stream tells nothing more than done.',
  on: talesOf(COMPLETED),
  check: (tale) =>
    tale.told
      .slice((firstOf(tale, COMPLETED)?.place ?? 0) + 1)
      .filter(({ subject }) => subject !== 'done')
      .map(unexpected),
  breaks: {
    'a delta follows': moved(lastNamed('thread.message.delta'), 'back'),
    'a step ends after it': moved(lastNamed('thread.run.step.completed'), 'back'),
    'completed twice': doubled(named(COMPLETED)),
    'in progress again': moved(named(IN_PROGRESS), 'back'),
  },
});

export const doneLast = requirement({
  id: 'runs.stream.done-ends-stream',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'A stream that tells the end of its run ends with the event done.',
  on: only(tales(), (tale) => tale.ended && !isWaiting(tale)),
  check: ({ told }) => {
    const last = told.at(-1);
    if (last?.subject === 'done') return [];
    return [{ at: last?.at ?? 'stream', expected: 'done as the last event', actual: last?.name }];
  },
  breaks: {
    'no done': dropped(named('done')),
    'done too early': moved(named('done'), 'front'),
    'done without its name': rewritten((frames) =>
      frames.map((frame) => (frame.event === 'done' ? frameWith('', frame.data) : frame)),
    ),
  },
});

export const nothingAfterDone = requirement({
  id: 'runs.stream.nothing-after-done',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'Nothing follows the event done.',
  on: talesOf('done'),
  check: (tale) => {
    const done = firstOf(tale, 'done')?.n ?? 0;
    const later = [...tale.told, ...tale.unlisted].filter(({ n }) => n > done);
    return later.map(({ at, name }) => ({ at, expected: 'no such event here', actual: name }));
  },
  breaks: {
    'done twice': doubled(named('done')),
    'another event follows': inEach(STREAMING, (operation) => appendEvent(operation, 'ping', {})),
    'the completion follows': moved(named(COMPLETED), 'back'),
  },
});

export const doneAtTheEnd = requirement({
  id: 'runs.stream.done-after-the-end',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'The event done comes only once the run has ended, or waits for the caller.',
  on: talesOf('done'),
  check: (tale) => {
    const done = firstOf(tale, 'done');
    const isRest = tale.runs.some(({ name, place }) => place < (done?.place ?? 0) && isRestName(name));
    // How a run is told that neither completes nor waits is up to the target.
    if (done === undefined || isRest || tale.unlisted.some((event) => event.n < done.n && isOfARun(event)))
      return [];
    return [asEvent(done, 'the end of the run before it')];
  },
  breaks: {
    'no end': dropped((frames) => [...named(COMPLETED)(frames), ...named(WAITING)(frames)]),
    'done first': moved(named('done'), 'front'),
  },
});

export const statedNames = requirement({
  id: 'runs.stream.stated-names',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'What an event with a stated name tells is told under that name.',
  on: only(tales(), ({ told, unlisted }) => told.length + unlisted.length > 0),
  check: (tale) =>
    tale.unlisted.flatMap((event): Complaint[] => {
      const due = statedName(event.data);
      const id = text(event.data, 'id');
      // Events of other names may tell the same once more.
      const isTold = tale.told.some(({ name, data }) => name === due && text(data, 'id') === id);
      return due === undefined || isTold ? [] : [{ at: event.at, expected: due, actual: event.name }];
    }),
  breaks: {
    'another name of the completion': renamed(COMPLETED, 'thread.run.done'),
    'another name of waiting': renamed(WAITING, 'thread.run.action_required'),
    'another name of the end of a message': renamed('thread.message.completed', 'thread.message.done'),
    'another name of the end of a step': renamed('thread.run.step.completed', 'thread.run.step.done'),
  },
});

/** The name that the specification gives to the event that tells this; undefined where it gives none. */
function statedName(data: Json | undefined): string | undefined {
  const [object, status] = [text(data, 'object'), text(data, 'status')];
  if (object === 'thread.run' && (status === 'completed' || status === 'requires_action'))
    return `thread.run.${status}`;
  const isPart = object === 'thread.run.step' || object === 'thread.message';
  return isPart && status === 'completed' ? `${object}.completed` : undefined;
}

function isOfARun({ data }: Tale['unlisted'][number]): boolean {
  return text(data, 'object') === 'thread.run';
}

export const oneLine = requirement({
  id: 'runs.stream.one-data-line',
  level: 'MUST',
  basis: 'stated',
  spec: EVENTS,
  says: 'Each event is its name and one line of data.',
  on: tales(),
  check: ({ told }) => severalLines(told),
  breaks: {
    'over several lines': inEach(STREAMING, (operation) => overSeveralLines(operation)),
    'only the first of them': inEach(STREAMING, (operation) => overSeveralLines(operation, 'first')),
  },
});

export const hasOutcome = requirement({
  id: 'runs.stream.completed-has-work',
  level: 'MUST',
  basis: 'implied',
  spec: '1 What the service does',
  says: 'A run that completes has made a step or written a message.',
  on: talesOf(COMPLETED),
  check: (tale) => {
    const kinds = ['thread.message', 'thread.run.step'];
    const isToldElsewhere = tale.unlisted.some(({ data }) => kinds.includes(text(data, 'object') ?? ''));
    if (tale.steps.length + tale.messages.length > 0 || isToldElsewhere) return [];
    return [
      {
        at: firstOf(tale, COMPLETED)?.at ?? 'stream',
        expected: 'a step or a message before it',
        actual: 'none',
      },
    ];
  },
  breaks: {
    'work without an id': rewritten((frames) =>
      frames.map((frame) =>
        isOfWork(frame.event)
          ? frameWith(frame.event, JSON.stringify({ ...JSON.parse(frame.data), id: null, object: null }))
          : frame,
      ),
    ),
    'nothing but the run': dropped((frames) =>
      frames.flatMap(({ event }, i) => (isOfWork(event) ? [i] : [])),
    ),
  },
});

function isOfWork(event: string): boolean {
  return /^thread\.(message|run\.step)\./.test(event);
}

function isOfRun({ subject }: Told): boolean {
  return subject === 'run' || subject === 'step' || subject === 'message';
}

/** What comes about only while a run is processed. */
function isWork({ subject, name }: Told): boolean {
  return subject === 'step' || subject === 'message' || isRestName(name);
}

function isRestName(name: string): boolean {
  return name === COMPLETED || name === WAITING;
}

/** Whether `done` follows a run that waits is left open. */
function isWaiting({ runs, unlisted }: Tale): boolean {
  const last = runs.at(-1);
  const later = unlisted.some(({ n, data }) => n > (last?.n ?? 0) && text(data, 'object') === 'thread.run');
  return last?.name === WAITING && !later;
}

function asEvent({ at, name }: Told, expected: string): Complaint {
  return { at, expected, actual: name };
}

function unexpected(event: Told): Complaint {
  return asEvent(event, 'no such event here');
}
