// Starts, advances and shows runs; the state machine is in `run-engine.ts`.
import { showTools } from '../assistants/tools.ts';
import { ApiError, requireObject } from '../http/api-error.ts';
import { EventStreamResponse, type ServerEvent } from '../http/response.ts';
import type { Version } from '../http/route.ts';
import type { Service } from '../state/service.ts';
import { StateProgress } from '../state/transitions.ts';
import { touchStore } from '../vector-stores/stores.ts';
import { makeRun, needRunAssistant, type RunFields } from './make-run.ts';
import { makeMessage, showMessage } from './messages.ts';
import { replyTo } from './model-replies.ts';
import {
  advanceRun,
  type EngineEvent,
  hasEnded,
  isOverdue,
  isResting,
  newRunState,
  pendingCalls,
  submitToolOutputs,
} from './run-engine.ts';
import type { Run, StoredMessage } from './run-objects.ts';
import { addMessages, needThread, type RunRecord, type Thread } from './thread-store.ts';

/** @throws ApiError 400 or 404 for invalid fields or while another run is active; then no run is created. */
export function startRun(service: Service, thread: Thread, fields: RunFields): RunRecord {
  refuseWhileRunning(thread);
  const run = makeRun(service, thread, needRunAssistant(service, fields.assistant_id), fields);
  const messages = (fields.additional_messages ?? []).map((wire, n) =>
    makeMessage(service, thread.id, wire, `additional_messages[${n}]`),
  );
  addMessages(service, thread, assignToRun(service, run, messages));
  touchStores(service, run, thread);
  return thread.runs.add({
    id: run.id,
    work: newRunState(run),
    service,
    environment: {
      now: service.now,
      id: service.id,
      takes: service.takes,
      reply: (state) => replyTo(service, thread, state),
      keep: (message) => thread.messages.add(message),
    },
    progress: new StateProgress(service),
    transitions: 0,
    isStreamed: false,
  });
}

/** Returns the messages of a request for a run, with the id of the run if the service shows it. */
export function assignToRun(
  service: Service,
  run: Run,
  messages: readonly StoredMessage[],
): readonly StoredMessage[] {
  if (service.takes('runs.caller-messages.run-id') === 'null') return messages;
  // A completed message with a run and an assistant looks like output of the run, so it gets a time of completion.
  return messages.map((message) => ({
    ...message,
    run_id: run.id,
    completed_at:
      message.completed_at ??
      (message.status === 'completed' && message.assistant_id !== null ? message.created_at : null),
  }));
}

function touchStores(service: Service, run: Run, thread: Thread): void {
  if (!run.tools.some(({ type }) => type === 'file_search')) return;
  for (const { file_search } of [run.tool_resources, thread.tool_resources]) {
    for (const id of file_search?.vector_store_ids ?? []) touchStore(service, id);
  }
}

export function needRun(service: Service, path: Readonly<Record<string, string>>): RunRecord {
  const { thread_id, run_id: id = '' } = path;
  return requireObject(needThread(service, thread_id).runs.get(id), 'run in this thread', id);
}

export const pollRun = (record: RunRecord): void => catchUp(record, record.progress.read());

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
    `The thread '${thread.id}' has an active run '${active.id}'; wait until it ends, or cancel it.`,
  );
}

/** A repeated request does not delay the cancellation. @throws ApiError 400 for a run that has ended. */
export function cancelRun(record: RunRecord): void {
  advanceByTime(record);
  const { status } = record.work.run;
  if (status === 'cancelling') return;
  if (hasEnded(record.work))
    throw ApiError.invalid(null, `The run is ${status} and can no longer be cancelled.`);
  record.work.run.status = 'cancelling';
  restart(record);
}

/**
 * Submits the outputs that a run waits for, by call id, and returns the events of that transition.
 * @throws ApiError 400 when the run is not waiting for outputs, or when outputs are missing or unknown.
 */
export function submitOutputs(
  record: RunRecord,
  outputs: ReadonlyMap<string, string>,
): readonly EngineEvent[] {
  advanceByTime(record);
  const { work } = record;
  if (work.run.status !== 'requires_action' || work.turn === null) {
    throw ApiError.invalid(
      null,
      `The run is ${work.run.status}; it accepts tool outputs only while it requires action.`,
    );
  }
  const pending = pendingCalls(work.turn.step).map(({ id }) => id);
  const missing = pending.filter((id) => !outputs.has(id));
  const unknown = [...outputs.keys()].filter((id) => !pending.includes(id));
  if (missing.length > 0 || unknown.length > 0) {
    throw ApiError.invalid(
      'tool_outputs',
      `'tool_outputs' must answer exactly the calls ${pending.join(', ')}.`,
    );
  }
  restart(record);
  return copyEvents(submitToolOutputs(work, outputs, record.environment));
}

/**
 * Yields the events of a run until it rests, then `done`. If the client disconnects in between, the run still advances
 * to that point; if it disconnects before the first event, the run is like one without a stream.
 */
function* streamRun(
  record: RunRecord,
  first: Iterable<EngineEvent>,
  show: (event: EngineEvent) => unknown,
): Generator<ServerEvent> {
  record.isStreamed = true;
  try {
    for (const event of first) yield { event: event.event, data: show(event) };
    while (!isResting(record.work)) {
      for (const event of advanceRun(record.work, record.environment))
        yield { event: event.event, data: show(event) };
    }
    yield { event: 'done', data: '[DONE]' };
  } finally {
    // Reached also if a disconnection ends a generator that has begun.
    while (!isResting(record.work)) drain(advanceRun(record.work, record.environment));
    record.isStreamed = false;
  }
}

/** Makes the transitions that are due by the clock; does not count as a retrieval. */
export const advanceByTime = (record: RunRecord): void => catchUp(record, record.progress.steps);

/** Copies events, because their objects may change before they are written. */
export const copyEvents = (events: Iterable<EngineEvent>): readonly EngineEvent[] =>
  Array.from(events, ({ event, data }) => ({ event, data: structuredClone(data) }));

const drain = (events: Iterable<EngineEvent>): void => {
  for (const _ of events);
};

/** Only the last run of a thread can be active. */
function activeRun(thread: Thread): RunRecord | undefined {
  const last = thread.runs.values().at(-1);
  if (last === undefined) return undefined;
  advanceByTime(last);
  return hasEnded(last.work) ? undefined : last;
}

/** Makes the transitions that are due after `steps` steps of `progress`, each at its own time; then checks expiry. */
function catchUp(record: RunRecord, steps: number): void {
  const { work, environment, progress } = record;
  // Only its stream advances a streamed run; otherwise it would lack the events of these transitions.
  if (record.isStreamed) return;
  while (record.transitions < steps && !isResting(work)) {
    record.transitions += 1;
    const now = () => progress.at(record.transitions);
    drain(advanceRun(work, { ...environment, now }));
  }
  if (isOverdue(work, environment.now())) drain(advanceRun(work, environment));
}

function restart(record: RunRecord): void {
  record.progress = new StateProgress(record.service);
  record.transitions = 0;
}

export function showRun({ file_ids, tools, ...run }: Run, version: Version) {
  const shown = { ...run, tools: showTools(tools, version) };
  return version === 'v1' ? { ...shown, file_ids } : shown;
}

export const runEvents = (
  record: RunRecord,
  first: Iterable<EngineEvent>,
  version: Version,
): EventStreamResponse =>
  new EventStreamResponse(streamRun(record, first, (event) => showData(event, version)));

function showData({ event, data }: EngineEvent, version: Version): unknown {
  // as: each event is named after the object that it carries
  if (/^thread\.run\.[a-z_]+$/.test(event)) return showRun(data as Run, version);
  if (/^thread\.message\.(?!delta$)/.test(event)) return showMessage(data as StoredMessage, version);
  return data;
}
