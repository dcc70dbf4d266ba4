import { getOrMake, groupBy } from '../../schemas/maps.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless, streamOf, that, where } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector, StreamEvent } from '../vocabulary/types.ts';

export type EventSubject = 'thread' | 'run' | 'step' | 'message' | 'done';

export interface RunStreamEvent extends StreamEvent {
  readonly subject: EventSubject;
  readonly verb: string;
}

export interface StreamedObject {
  readonly id: string;
  /** The place of the first event about the object. */
  readonly at: string;
  readonly events: readonly RunStreamEvent[];
  readonly deltas: readonly RunStreamEvent[];
  readonly completed: RunStreamEvent | undefined;
  /** The text of the completed message; otherwise empty. */
  readonly text: string;
  /** For a step that creates a message: the id of that message. */
  readonly message: string | undefined;
  /** The joined deltas of a message, by the index of the part. */
  readonly texts: ReadonlyMap<number, string>;
  /** The function calls in the deltas of a step, joined by index and in that order. */
  readonly calls: readonly JoinedCall[];
}

/** The stream of a run, with its events grouped by object. An aborted stream is only a prefix. */
export interface RunStream extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** Whether the stream was not interrupted and contains no error. */
  readonly ended: boolean;
  readonly events: readonly RunStreamEvent[];
  /** Events with other names, such as those for failed runs and unfinished steps, which the specification omits. */
  readonly unlisted: readonly StreamEvent[];
  readonly all: readonly StreamEvent[];
  /** Completions, waits and `done`, and unlisted events with a run that is neither queued nor in progress. */
  readonly closing: readonly StreamEvent[];
  readonly threads: readonly RunStreamEvent[];
  readonly runs: readonly RunStreamEvent[];
  readonly steps: readonly StreamedObject[];
  readonly messages: readonly StreamedObject[];
  readonly calls: readonly JoinedCall[];
  /** The runs with a status, in order, including those in unlisted events. */
  readonly states: readonly StreamedRun[];
  readonly firstByState: Readonly<Record<string, Json>>;
  /** The first thread.run.in_progress with a time of start. */
  readonly started: RunStreamEvent | undefined;
  /** The first thread.run.requires_action. */
  readonly waiting: RunStreamEvent | undefined;
  /** The first thread.run.completed. */
  readonly completion: RunStreamEvent | undefined;
  /** Whether the run completed or waits. A failed or interrupted run proves nothing about the model. */
  readonly isAtRest: boolean;
  readonly isJsonMode: boolean;
  /** Names of unlisted events, keyed by state and kind of object: `failed_run`. */
  readonly otherNames: Readonly<Record<string, string>>;
}

export const COMPLETED = 'thread.run.completed';
export const WAITING = 'thread.run.requires_action';

export const RUN_CREATIONS = ['createRun', 'createThreadAndRun'] as const;

export const runStreams: Selector<RunStream> = stateless(
  'run streams',
  RUN_CREATIONS,
  { needs: 'a stream of a run' },
  (call) => {
    const stream = runStreamOf(call);
    return stream === null ? [] : [stream];
  },
);

export function runStreamsWith(name: string): Selector<RunStream> {
  return where(
    runStreams,
    that(`with ${name}`, ({ events }) => events.some((event) => event.name === name)),
  );
}

const streamsByCall = new WeakMap<Call, RunStream | null>();

export function runStreamOf(call: Call): RunStream | null {
  return getOrMake(streamsByCall, call, () => readStream(call));
}

function readStream(call: Call): RunStream | null {
  const stream = isRunCreation(call.operation.id) ? streamOf(call) : null;
  if (stream === null) return null;
  const { exchanges, asked, ended, unlisted } = stream;
  const events = stream.events.map(toRunEvent);
  const eventsAbout = (subject: EventSubject) => events.filter((event) => event.subject === subject);
  const all = [...events, ...unlisted].sort((a, b) => a.n - b.n);
  const states = statesIn(all);
  const steps = objectsOf(eventsAbout('step'));
  const runs = eventsAbout('run');
  const waiting = runs.find(({ name }) => name === WAITING);
  const completion = runs.find(({ name }) => name === COMPLETED);
  return {
    exchanges,
    call,
    asked,
    ended,
    events,
    unlisted,
    all,
    runs,
    states,
    steps,
    waiting,
    completion,
    closing: all.filter(
      (event) =>
        [COMPLETED, WAITING, 'done'].includes(event.name) || (!('subject' in event) && mayEnd(event)),
    ),
    threads: eventsAbout('thread'),
    messages: objectsOf(eventsAbout('message')),
    calls: steps.flatMap(({ calls }) => calls),
    firstByState: Object.fromEntries(states.map(({ state, value }) => [state, value] as const).toReversed()),
    started: runs.find(
      ({ name, data }) => name === 'thread.run.in_progress' && numberAt(data, 'started_at') !== undefined,
    ),
    isAtRest: (waiting ?? completion) !== undefined,
    isJsonMode: isJsonMode(asked, runs[0]?.data),
    otherNames: Object.fromEntries(
      unlisted.map(({ name, data }) => [
        `${textAt(data, 'status')}_${textAt(data, 'object')?.split('.').at(-1)}`,
        name,
      ]),
    ),
  };
}

export function isRunCreation(operation: string): boolean {
  return RUN_CREATIONS.some((id) => id === operation);
}

export function isJsonMode(asked: Json | undefined, run: Json | undefined): boolean {
  return [asked, run].some((object) => textAt(object, 'response_format', 'type') === 'json_object');
}

export interface StreamedRun {
  readonly at: string;
  readonly value: Json;
  readonly state: string;
  /** The previous state and this one, such as `queued to in_progress`; null for the first state. */
  readonly move: string | null;
}

function isRun({ data }: StreamEvent): boolean {
  return textAt(data, 'object') === 'thread.run';
}

function mayEnd(event: StreamEvent): boolean {
  return isRun(event) && !['queued', 'in_progress'].includes(textAt(event.data, 'status') ?? '');
}

function statesIn(events: readonly StreamEvent[]): readonly StreamedRun[] {
  const shown = events.flatMap((event) => {
    const { at, data } = event;
    const isShown = 'subject' in event ? event.subject === 'run' : isRun(event);
    const state = textAt(data, 'status');
    return !isShown || data === undefined || state === undefined ? [] : [{ at, value: data, state }];
  });
  return shown.map((run, i) => {
    const before = shown[i - 1];
    return { ...run, move: before === undefined ? null : `${before.state} to ${run.state}` };
  });
}

/** Names every field, because spreading the thousands of events of a trace takes several times as long. */
function toRunEvent({ n, at, name, text, fields, data }: StreamEvent): RunStreamEvent {
  const { subject, verb } = parseEventName(name);
  return { n, at, name, text, fields, data, subject, verb };
}

function parseEventName(name: string): { readonly subject: EventSubject; readonly verb: string } {
  const verb = name.split('.').at(-1) ?? '';
  if (name.startsWith('thread.run.step.')) return { subject: 'step', verb };
  if (name.startsWith('thread.run.')) return { subject: 'run', verb };
  if (name.startsWith('thread.message.')) return { subject: 'message', verb };
  return name === 'done' ? { subject: 'done', verb: '' } : { subject: 'thread', verb };
}

function objectsOf(events: readonly RunStreamEvent[]): readonly StreamedObject[] {
  const eventsById = groupBy(events, ({ data }) => textAt(data, 'id'));
  return [...eventsById].flatMap(([id, group]) => (id === undefined ? [] : [createObject(id, group)]));
}

function createObject(id: string, events: readonly [RunStreamEvent, ...RunStreamEvent[]]): StreamedObject {
  const deltas = events.filter(({ verb }) => verb === 'delta');
  const completed = events.find(({ verb }) => verb === 'completed');
  const messageIds = events.map(({ data }) => textAt(data, 'step_details', 'message_creation', 'message_id'));
  return {
    id,
    at: events[0].at,
    events,
    deltas,
    completed,
    text: joinMessageText(completed?.data),
    message: messageIds.find((messageId) => messageId !== undefined),
    texts: joinTexts(deltas),
    calls: joinCalls(deltas),
  };
}

export interface CallChunk {
  readonly at: string;
  /** The number of the event that contains the chunk. */
  readonly event: number;
  readonly value: Json;
  /** Position of the chunk in its call, from 0. */
  readonly n: number;
}

export interface JoinedCall {
  /** The place of the first chunk. */
  readonly at: string;
  readonly index: number;
  readonly chunks: readonly CallChunk[];
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string;
}

function joinTexts(deltas: readonly RunStreamEvent[]): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  for (const part of deltas.flatMap(({ data }) => arrayAt(data, 'delta', 'content'))) {
    const index = numberAt(part, 'index');
    if (index === undefined || valueAtPath(part, 'type') !== 'text') continue;
    texts.set(index, `${texts.get(index) ?? ''}${textAt(part, 'text', 'value') ?? ''}`);
  }
  return texts;
}

function joinCalls(deltas: readonly RunStreamEvent[]): readonly JoinedCall[] {
  const chunksByIndex = new Map<number, CallChunk[]>();
  for (const { at, data, n: event } of deltas) {
    for (const [i, value] of arrayAt(data, 'delta', 'step_details', 'tool_calls').entries()) {
      const index = numberAt(value, 'index');
      if (index === undefined || valueAtPath(value, 'type') !== 'function') continue;
      const chunks = getOrMake<number, CallChunk[]>(chunksByIndex, index, () => []);
      chunks.push({ at: `${at} /delta/step_details/tool_calls/${i}`, event, value, n: chunks.length });
    }
  }
  return [...chunksByIndex]
    .map(([index, chunks]) => joinCall(index, chunks))
    .sort((a, b) => a.index - b.index);
}

function joinCall(index: number, chunks: readonly CallChunk[]): JoinedCall {
  const values = (...path: readonly string[]): readonly string[] =>
    chunks.flatMap(({ value }) => textAt(value, ...path) ?? []);
  return {
    at: chunks[0]?.at ?? '',
    index,
    chunks,
    id: values('id')[0],
    name: values('function', 'name')[0],
    arguments: values('function', 'arguments').join(''),
  };
}

export function joinMessageText(message: Json | undefined): string {
  return arrayAt(message, 'content')
    .map((part) => textAt(part, 'text', 'value') ?? '')
    .join('');
}
