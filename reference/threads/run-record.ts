import { shownTools } from '../assistants/store.ts';
import { ApiError, existing } from '../http/api-error.ts';
import { EventStreamResponse, type ServerEvent } from '../http/response.ts';
import type { Version } from '../http/route.ts';
import { type Service, StateProgress } from '../state/service.ts';
import type { EngineEvent, Run, StoredMessage } from './objects.ts';
import {
  advanceRun,
  hasEnded,
  isOverdue,
  isResting,
  pendingCalls,
  requestCancel,
  submitToolOutputs,
} from './run-engine.ts';
import { needThread, type RunRecord, showMessage, type Thread } from './store.ts';

export function needRun(service: Service, path: Readonly<Record<string, string>>): RunRecord {
  const { thread_id, run_id: id = '' } = path;
  return existing(needThread(service, thread_id).runs.get(id), 'run in this thread', id);
}

export const pollRun = (record: RunRecord): void => catchUp(record, record.progress.read());

/** Advances the active run of a thread because its messages are read. */
export function pollThread(thread: Thread): void {
  const active = activeRun(thread);
  if (active !== undefined) pollRun(active);
}

/** @throws ApiError 400 while a run is active, which locks the thread. */
export function refuseWhileRunning(thread: Thread): void {
  const active = activeRun(thread);
  if (active === undefined) return;
  throw ApiError.invalid(
    'thread_id',
    `The thread '${thread.id}' has an active run '${active.id}'; wait for its end or cancel it.`,
  );
}

/** Requests the cancellation of a run. @throws ApiError 400 when it has ended. */
export function cancelRun(record: RunRecord): void {
  advanceByTime(record);
  const { status } = record.work.run;
  if (hasEnded(record.work))
    throw ApiError.invalid(null, `The run is ${status} and can no longer be cancelled.`);
  requestCancel(record.work);
  restart(record);
}

/**
 * Submits the outputs that a run waits for, by call id, and returns the events of that transition.
 * @throws ApiError 400 when the run does not wait, or when outputs are missing or unknown.
 */
export function submitOutputs(record: RunRecord, given: ReadonlyMap<string, string>): readonly EngineEvent[] {
  advanceByTime(record);
  const { work } = record;
  if (work.run.status !== 'requires_action' || work.turn === null) {
    throw ApiError.invalid(
      null,
      `The run is ${work.run.status}; it takes tool outputs only while it requires action.`,
    );
  }
  // All outputs are submitted together; without one of them the model could not continue.
  const wanted = pendingCalls(work.turn.step).map(({ id }) => id);
  const missing = wanted.filter((id) => !given.has(id));
  const unknown = [...given.keys()].filter((id) => !wanted.includes(id));
  if (missing.length > 0 || unknown.length > 0) {
    throw ApiError.invalid(
      'tool_outputs',
      `'tool_outputs' must answer exactly the calls ${wanted.join(', ')}.`,
    );
  }
  restart(record);
  return snapshots(submitToolOutputs(work, given, record.around));
}

/**
 * The events of a run until it rests, then `done`. If the client disconnects, the run still advances until it rests.
 * `show` converts the data of an event to its wire form.
 */
function* streamRun(
  record: RunRecord,
  first: Iterable<EngineEvent>,
  show: (event: EngineEvent) => unknown,
): Generator<ServerEvent> {
  record.streamed = true;
  try {
    for (const event of first) yield { event: event.event, data: show(event) };
    while (!isResting(record.work)) {
      for (const event of advanceRun(record.work, record.around))
        yield { event: event.event, data: show(event) };
    }
    yield { event: 'done', data: '[DONE]' };
    // Also runs if the client disconnects, which ends the generator early.
  } finally {
    while (!isResting(record.work)) drain(advanceRun(record.work, record.around));
    record.streamed = false;
  }
}

/** Makes the transitions that are due by the clock; does not count as a retrieval. */
export const advanceByTime = (record: RunRecord): void => catchUp(record, record.progress.steps);

/** Copies of events, because their objects may change before they are written. */
export const snapshots = (events: Iterable<EngineEvent>): readonly EngineEvent[] =>
  Array.from(events, ({ event, data }) => ({ event, data: structuredClone(data) }));

const drain = (events: Iterable<EngineEvent>): void => {
  for (const _ of events);
};

/** The last run of a thread if it is active; the others have ended. */
function activeRun(thread: Thread): RunRecord | undefined {
  const last = thread.runs.values().at(-1);
  if (last === undefined) return undefined;
  advanceByTime(last);
  return hasEnded(last.work) ? undefined : last;
}

/** Makes transitions until `due` have been made since `progress` began, each at its own time; then checks expiry. */
function catchUp(record: RunRecord, due: number): void {
  const { work, around, progress } = record;
  // The stream would otherwise lack the events of these transitions.
  if (record.streamed) return;
  while (record.moves < due && !isResting(work)) {
    record.moves += 1;
    const now = () => progress.at(record.moves);
    drain(advanceRun(work, { ...around, now }));
  }
  if (isOverdue(work, around.now())) drain(advanceRun(work, around));
}

/** Counts transitions from zero after an action of the client. */
function restart(record: RunRecord): void {
  record.progress = new StateProgress(record.service);
  record.moves = 0;
}

export function showRun({ file_ids, tools, ...run }: Run, version: Version) {
  // The stored run keeps both forms: the next request may ask for the other one.
  const shown = { ...run, tools: shownTools(tools, version) };
  return version === 'v1' ? { ...shown, file_ids } : shown;
}

export const runEvents = (
  record: RunRecord,
  first: Iterable<EngineEvent>,
  version: Version,
): EventStreamResponse =>
  new EventStreamResponse(streamRun(record, first, (event) => showData(event, version)));

/** Deltas are in wire form already. */
function showData({ event, data }: EngineEvent, version: Version): unknown {
  // as: the engine names each event after the object it carries
  if (/^thread\.run\.[a-z_]+$/.test(event)) return showRun(data as Run, version);
  if (/^thread\.message\.(?!delta$)/.test(event)) return showMessage(data as StoredMessage, version);
  return data;
}
