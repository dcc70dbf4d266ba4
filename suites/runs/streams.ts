import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless, streamOf, that, where } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector, StreamEvent } from '../vocabulary/types.ts';

export type EventSubject = 'thread' | 'run' | 'step' | 'message' | 'done';

export interface RunStreamEvent extends StreamEvent {
  readonly subject: EventSubject;
  readonly verb: string;
  /** Its place among all events of the specification, from 0. */
  readonly place: number;
}

export interface StreamedObject {
  readonly id: string;
  readonly events: readonly RunStreamEvent[];
}

/** The stream of a run, its events grouped by object. An aborted one is a prefix. */
export interface RunStream extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** True if it was not interrupted and contains no error. */
  readonly ended: boolean;
  readonly events: readonly RunStreamEvent[];
  /** Events of other names. The specification does not name those for failed runs, and for unfinished steps and messages. */
  readonly unlisted: readonly StreamEvent[];
  readonly runs: readonly RunStreamEvent[];
  readonly steps: readonly StreamedObject[];
  readonly messages: readonly StreamedObject[];
  /** The calls of functions in the deltas of all steps. */
  readonly calls: readonly JoinedCall[];
  /** All runs of the stream in order, including those in unlisted events. */
  readonly states: readonly StreamedRun[];
  /** The first run in each state, by state. */
  readonly firstIn: Readonly<Record<string, Json>>;
}

export const STREAMING_OPERATIONS = ['createRun', 'createThreadAndRun'] as const;

/** Every stream of a run. */
export const runStreams: Selector<RunStream> = stateless(
  'run streams',
  STREAMING_OPERATIONS,
  { needs: 'a stream of a run' },
  (call) => {
    const stream = runStreamOf(call);
    return stream === null ? [] : [stream];
  },
);

/** Streams with this event. */
export function runStreamsWith(name: string): Selector<RunStream> {
  return where(
    runStreams,
    that(`with ${name}`, ({ events }) => events.some((event) => event.name === name)),
  );
}

export const withRun = that<RunStream>('with an event of the run', ({ runs }) => runs.length > 0);

export const withTwoStates = that<RunStream>('with two events of the run', ({ runs }) => runs.length > 1);

export const withMessage = that<RunStream>('with a message', ({ messages }) => messages.length > 0);

const parsed = new WeakMap<Call, RunStream | null>();

export function runStreamOf(call: Call): RunStream | null {
  const known = parsed.get(call);
  if (known !== undefined) return known;
  const stream = read(call);
  parsed.set(call, stream);
  return stream;
}

function read(call: Call): RunStream | null {
  const stream = isStreamingRequest(call.operation.id) ? streamOf(call) : null;
  if (stream === null) return null;
  const events = stream.events.map((event, place) => ({ ...event, place, ...partsOf(event.name) }));
  const runs = events.filter(({ subject }) => subject === 'run');
  const steps = objectsOf(events, 'step');
  const states = statesIn(runs, stream.unlisted);
  return {
    exchanges: stream.exchanges,
    call,
    asked: stream.asked,
    ended: stream.ended,
    events,
    unlisted: stream.unlisted,
    states,
    firstIn: Object.fromEntries(states.map(({ state, value }) => [state, value] as const).toReversed()),
    runs,
    steps,
    calls: steps.flatMap(joinedCalls),
    messages: objectsOf(events, 'message'),
  };
}

export function isStreamingRequest(operation: string): boolean {
  return STREAMING_OPERATIONS.some((one) => one === operation);
}

export function firstEventOf(
  { events }: Pick<RunStream, 'events'>,
  name: string,
): RunStreamEvent | undefined {
  return events.find((event) => event.name === name);
}

export const COMPLETED = 'thread.run.completed';
export const WAITING = 'thread.run.requires_action';

export interface StreamedRun {
  readonly at: string;
  readonly value: Json;
  readonly state: string;
  /** The state before and this one, `queued to in_progress`; null for the first. */
  readonly way: string | null;
}

function statesIn(runs: readonly RunStreamEvent[], unlisted: readonly StreamEvent[]): readonly StreamedRun[] {
  const others = unlisted.filter(({ data }) => textAt(data, 'object') === 'thread.run');
  const inOrder = [...runs, ...others].sort((a, b) => a.n - b.n);
  const shown = inOrder.flatMap(({ at, data }) => {
    const state = textAt(data, 'status');
    return data === undefined || state === undefined ? [] : [{ at, value: data, state }];
  });
  return shown.map((one, i) => {
    const before = shown[i - 1];
    return { ...one, way: before === undefined ? null : `${before.state} to ${one.state}` };
  });
}

function partsOf(name: string): { readonly subject: EventSubject; readonly verb: string } {
  const verb = name.split('.').at(-1) ?? '';
  if (name.startsWith('thread.run.step.')) return { subject: 'step', verb };
  if (name.startsWith('thread.run.')) return { subject: 'run', verb };
  if (name.startsWith('thread.message.')) return { subject: 'message', verb };
  return name === 'done' ? { subject: 'done', verb: '' } : { subject: 'thread', verb };
}

function objectsOf(events: readonly RunStreamEvent[], subject: EventSubject): readonly StreamedObject[] {
  const found = new Map<string, RunStreamEvent[]>();
  for (const event of events) {
    const id = event.subject === subject ? textAt(event.data, 'id') : undefined;
    if (id === undefined) continue;
    found.set(id, [...(found.get(id) ?? []), event]);
  }
  return [...found].map(([id, events]) => ({ id, events: events }));
}

export interface CallChunk {
  readonly at: string;
  readonly place: number;
  readonly value: Json;
  /** From 0 in its call. */
  readonly n: number;
}

export interface JoinedCall {
  /** That of its first chunk. */
  readonly at: string;
  readonly index: number;
  readonly chunks: readonly CallChunk[];
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string;
}

export function joinedTexts({ events }: StreamedObject): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  for (const { data, verb } of events) {
    if (verb !== 'delta') continue;
    for (const part of arrayAt(data, 'delta', 'content')) {
      const index = numberAt(part, 'index');
      if (index === undefined || valueAtPath(part, 'type') !== 'text') continue;
      texts.set(index, `${texts.get(index) ?? ''}${textAt(part, 'text', 'value') ?? ''}`);
    }
  }
  return texts;
}

export function joinedCalls({ events }: StreamedObject): readonly JoinedCall[] {
  const found = new Map<number, CallChunk[]>();
  for (const { at, data, verb, place } of events) {
    if (verb !== 'delta') continue;
    for (const [i, chunk] of arrayAt(data, 'delta', 'step_details', 'tool_calls').entries()) {
      const index = numberAt(chunk, 'index');
      if (index === undefined || valueAtPath(chunk, 'type') !== 'function') continue;
      const known = found.get(index) ?? [];
      const piece = { at: `${at} /delta/step_details/tool_calls/${i}`, place, value: chunk, n: known.length };
      found.set(index, [...known, piece]);
    }
  }
  return [...found].map(([index, chunks]) => joined(index, chunks)).sort((a, b) => a.index - b.index);
}

function joined(index: number, chunks: readonly CallChunk[]): JoinedCall {
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

export function joinedMessageText(message: Json | undefined): string {
  return arrayAt(message, 'content')
    .map((part) => textAt(part, 'text', 'value') ?? '')
    .join('');
}
