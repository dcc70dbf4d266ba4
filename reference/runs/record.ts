import type { ServerEvent } from '../answer.ts';
import { Progress } from '../progress.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { needThread, type Thread } from '../threads/store.ts';
import {
  advance,
  cancel,
  ended,
  overdue,
  type RunEvent,
  resting,
  type Surroundings,
  takeOutputs,
  type Work,
} from './engine.ts';
import { pendingCalls } from './make.ts';

/** A run as the service keeps it. */
export interface RunRecord {
  readonly id: string;
  readonly work: Work;
  readonly service: Service;
  readonly around: Surroundings;
  progress: Progress;
  /** Moves made since `progress` began. */
  moves: number;
  /** A stream moves the run alone; readings meanwhile only look. */
  streamed: boolean;
}

/** @throws Refusal 404 when there is no such thread, or no such run in it. */
export function needRun(service: Service, path: Readonly<Record<string, string>>): RunRecord {
  const record = needThread(service, path['thread_id']).runs.get(path['run_id'] ?? '');
  if (record === undefined) throw Refusal.missing('run in this thread', path['run_id'] ?? '');
  return record;
}

/** Moves a run on because it is read. */
export const watch = (record: RunRecord): void => catchUp(record, record.progress.read());

/** Moves the run that is under way in a thread, if any, because its messages are read. */
export function watchThread(thread: Thread): void {
  const active = activeRun(thread);
  if (active !== undefined) watch(active);
}

/** @throws Refusal 400 while a run is under way: the thread belongs to it. */
export function refuseWhileRunning(thread: Thread): void {
  const active = activeRun(thread);
  if (active === undefined) return;
  throw Refusal.invalid(
    'thread_id',
    `The thread '${thread.id}' has an active run '${active.id}'; wait for its end or cancel it.`,
  );
}

/** Asks for the end of a run. @throws Refusal 400 when it has ended. */
export function cancelRun(record: RunRecord): void {
  look(record);
  const { status } = record.work.run;
  if (ended(record.work))
    throw Refusal.invalid(null, `The run is ${status} and cannot be cancelled any more.`);
  cancel(record.work);
  restart(record);
}

/** What a run waits for is given: outputs by call id. Returns the events that tell of it. @throws Refusal 400. */
export function submitOutputs(record: RunRecord, given: ReadonlyMap<string, string>): readonly RunEvent[] {
  look(record);
  const { work } = record;
  if (work.run.status !== 'requires_action' || work.turn === null) {
    throw Refusal.invalid(
      null,
      `The run is ${work.run.status}; it takes tool outputs only while it requires action.`,
    );
  }
  const wanted = pendingCalls(work.turn.step).map(({ id }) => id);
  const missing = wanted.filter((id) => !given.has(id));
  const unknown = [...given.keys()].filter((id) => !wanted.includes(id));
  if (missing.length > 0 || unknown.length > 0) {
    throw Refusal.invalid(
      'tool_outputs',
      `'tool_outputs' must answer exactly the calls ${wanted.join(', ')}.`,
    );
  }
  restart(record);
  return snapshots(takeOutputs(work, given, record.around));
}

/**
 * The events of a run up to its next rest, then `done`. When the client hangs up, the run goes on to its rest unseen.
 * `first` are events that come before; `show` dresses an event's data.
 */
export function* streamRun(
  record: RunRecord,
  first: Iterable<RunEvent>,
  show: (event: RunEvent) => unknown,
): Generator<ServerEvent> {
  record.streamed = true;
  try {
    for (const event of first) yield { event: event.event, data: show(event) };
    while (!resting(record.work)) {
      for (const event of advance(record.work, record.around))
        yield { event: event.event, data: show(event) };
    }
    yield { event: 'done', data: '[DONE]' };
  } finally {
    while (!resting(record.work)) drain(advance(record.work, record.around));
    record.streamed = false;
  }
}

/** Lets time that has passed do its work, without counting as a reading. */
export const look = (record: RunRecord): void => catchUp(record, record.progress.steps);

/** Events as they are now: what they tell of may change before they are written. */
export const snapshots = (events: Iterable<RunEvent>): readonly RunEvent[] =>
  Array.from(events, ({ event, data }) => ({ event, data: structuredClone(data) }));

const drain = (events: Iterable<RunEvent>): void => {
  for (const _ of events);
};

function activeRun(thread: Thread): RunRecord | undefined {
  const last = thread.runs.values().at(-1);
  if (last === undefined) return undefined;
  look(last);
  return ended(last.work) ? undefined : last;
}

function catchUp(record: RunRecord, due: number): void {
  const { work, around, progress } = record;
  if (record.streamed) return;
  while (record.moves < due && !resting(work)) {
    record.moves += 1;
    const now = () => progress.at(record.moves);
    drain(advance(work, { ...around, now }));
  }
  if (overdue(work, around.now())) drain(advance(work, around));
}

function restart(record: RunRecord): void {
  record.progress = new Progress(record.service);
  record.moves = 0;
}
