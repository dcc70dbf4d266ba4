import type { Json } from '../../exchange/body.ts';
import type { Call } from '../../judge/call.ts';
import { text } from '../../judge/json.ts';
import type { Evidence, Selector } from '../../judge/requirement.ts';
import { only, stateless } from '../../judge/selectors/answers.ts';
import { type StreamEvent, streamOf } from '../../judge/selectors/streams.ts';

/** What an event is about. */
export type Subject = 'thread' | 'run' | 'step' | 'message' | 'done';

/** An event of the specification, read. */
export interface Told extends StreamEvent {
  readonly subject: Subject;
  /** What happened to it: `created`, `delta`, … */
  readonly verb: string;
  /** Its place among all events of the specification, from 0. */
  readonly place: number;
}

/** A step or a message and all that a stream tells of it. */
export interface Thing {
  readonly id: string;
  readonly told: readonly Told[];
}

/** The stream of a run, sorted by what it tells of. A client that hung up, or a cut, leaves the beginning of one. */
export interface Tale extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** True when it ended by itself, and with no error. */
  readonly ended: boolean;
  /** The events of the specification. */
  readonly told: readonly Told[];
  /** Events of other names: how runs that fail, and steps and messages that are not finished, are told is left open. */
  readonly unlisted: readonly StreamEvent[];
  readonly runs: readonly Told[];
  readonly steps: readonly Thing[];
  readonly messages: readonly Thing[];
}

/** The operations that stream runs; those that make no thread first. */
export const STREAMING = ['createRun', 'createThreadAndRun'] as const;

/** Every stream of a run. */
export function tales(): Selector<Tale> {
  return stateless('tales', STREAMING, {}, (call) => {
    const tale = taleOf(call);
    return tale === null ? [] : [tale];
  });
}

/** Streams that tell at least this. */
export function talesOf(name: string): Selector<Tale> {
  return only(tales(), ({ told }) => told.some((event) => event.name === name));
}

const tell = new WeakMap<Call, Tale | null>();

/** A call's answer as the stream of a run; null where it is none. */
export function taleOf(call: Call): Tale | null {
  const known = tell.get(call);
  if (known !== undefined) return known;
  const tale = read(call);
  tell.set(call, tale);
  return tale;
}

function read(call: Call): Tale | null {
  const stream = isStreaming(call.operation.id) ? streamOf(call) : null;
  if (stream === null) return null;
  const told = stream.events.map((event, place) => ({ ...event, place, ...sortOf(event.name) }));
  return {
    exchanges: stream.exchanges,
    call,
    asked: stream.asked,
    ended: stream.ended,
    told,
    unlisted: stream.unlisted,
    runs: told.filter(({ subject }) => subject === 'run'),
    steps: things(told, 'step'),
    messages: things(told, 'message'),
  };
}

export function isStreaming(operation: string): boolean {
  return STREAMING.some((one) => one === operation);
}

/** The first event of a name; undefined where there is none. */
export function firstOf({ told }: Pick<Tale, 'told'>, name: string): Told | undefined {
  return told.find((event) => event.name === name);
}

/** How a stream says that a run ended well. */
export const COMPLETED = 'thread.run.completed';
/** How a stream says that a run waits for the caller. */
export const WAITING = 'thread.run.requires_action';

/** Whether an event of a name of the target's own speaks of an object. */
export function isSpokenOf({ unlisted }: Pick<Tale, 'unlisted'>, id: string): boolean {
  return unlisted.some(({ data }) => text(data, 'id') === id);
}

/** A run that a stream tells, whatever its event is called. */
export interface RunTold {
  readonly at: string;
  readonly run: Json;
  readonly state: string;
}

/** Every run that a stream tells, in order. An event of a name of the target's own has a run where its data say so. */
export function allRuns({ runs, unlisted }: Pick<Tale, 'runs' | 'unlisted'>): readonly RunTold[] {
  const others = unlisted.filter(({ data }) => text(data, 'object') === 'thread.run');
  const inOrder = [...runs, ...others].sort((a, b) => a.n - b.n);
  return inOrder.flatMap(({ at, data }) => {
    const state = text(data, 'status');
    return data === undefined || state === undefined ? [] : [{ at, run: data, state }];
  });
}

function sortOf(name: string): { readonly subject: Subject; readonly verb: string } {
  const verb = name.split('.').at(-1) ?? '';
  if (name.startsWith('thread.run.step.')) return { subject: 'step', verb };
  if (name.startsWith('thread.run.')) return { subject: 'run', verb };
  if (name.startsWith('thread.message.')) return { subject: 'message', verb };
  return name === 'done' ? { subject: 'done', verb: '' } : { subject: 'thread', verb };
}

/** What is told of each, in the order of the first events. What has no id is of one sort without. */
function things(told: readonly Told[], subject: Subject): readonly Thing[] {
  const found = new Map<string, Told[]>();
  for (const event of told) {
    const id = event.subject === subject ? text(event.data, 'id') : undefined;
    if (id === undefined) continue;
    found.set(id, [...(found.get(id) ?? []), event]);
  }
  return [...found].map(([id, events]) => ({ id, told: events }));
}
