import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { SseEvent } from '../../exchange/http/sse-reader.ts';
import type { Selector } from '../requirements/requirement.ts';
import { expectedShape } from '../schema/response-shape.ts';
import type { Call } from '../trace/call.ts';
import { isErrorEvent } from '../trace/response-class.ts';
import { EvidentCall, inWords, type RequestEvidence, type SelectorOptions, stateless } from './calls.ts';

export interface StreamEvent {
  /** Number of the event in the stream, from 1. */
  readonly n: number;
  /** The place for findings, such as `event 3`. */
  readonly at: string;
  /** The `event` field; empty for `message`, the name that clients give an event without this field. */
  readonly name: string;
  /** The text of its data. */
  readonly text: string;
  /** The field names of the first eight lines of the event; comments do not count. */
  readonly fields: readonly string[];
  /** Undefined if the data is not JSON. */
  readonly data: Json | undefined;
}

export interface JsonEvent extends StreamEvent {
  /** The data of the event, as parsed JSON. */
  readonly data: Json;
}

export interface StreamEvidence extends RequestEvidence {
  /** Events that the specification lists, except errors. */
  readonly events: readonly StreamEvent[];
  /** Other events, except errors: the target is free to send any. */
  readonly unlisted: readonly StreamEvent[];
  /** The listed events whose data is JSON. */
  readonly chunks: readonly JsonEvent[];
  /** True if the stream ended by itself and without an error: only then is its last event known. */
  readonly ended: boolean;
}

/** Successful event streams of the operations with at least one event. */
export function streams(
  operation: string | readonly string[],
  options: SelectorOptions = {},
): Selector<StreamEvidence> {
  const needs = `a stream with events of ${inWords(operation)}`;
  return stateless('streams', operation, { needs, ...options }, (call) => {
    const stream = streamOf(call);
    return stream === null ? [] : [stream];
  });
}

/** Successful event streams whose transfer was not interrupted, even without events or with an error. */
export function completeStreams(operation: string): Selector<StreamEvidence> {
  const needs = `a stream of ${operation} that was not interrupted`;
  return stateless('complete streams', operation, { needs }, (call) => {
    const stream = call.complete ? anyStreamOf(call) : null;
    return stream === null ? [] : [stream];
  });
}

/** The event stream of a successful call; null if it has no events or the specification states no stream. */
export function streamOf(call: Call): StreamEvidence | null {
  const { response } = call.exchange;
  const hasEvents = response !== null && (eventsOf(response)?.events.length ?? 0) > 0;
  return hasEvents ? anyStreamOf(call) : null;
}

function anyStreamOf(call: Call): StreamEvidence | null {
  const { response } = call.exchange;
  const stream = call.responseClass === 'accepted' && response !== null ? eventsOf(response) : null;
  if (stream === null) return null;
  const known = expectedShape(call)?.events ?? null;
  if (known === null) return null;
  const withoutErrors = stream.events.filter((event) => !isErrorEvent(event));
  const all = withoutErrors.map(eventOf);
  const listed = all.filter(({ name }) => Object.hasOwn(known, name));
  return new StreamOfCall(call, {
    events: listed,
    unlisted: all.filter(({ name }) => !Object.hasOwn(known, name)),
    chunks: listed.filter((event): event is JsonEvent => event.data !== undefined),
    ended: call.complete && withoutErrors.length === stream.events.length,
  });
}

/** A class for the same reason as `EvidentCall`. */
class StreamOfCall extends EvidentCall implements StreamEvidence {
  readonly events: StreamEvidence['events'];
  readonly unlisted: StreamEvidence['unlisted'];
  readonly chunks: StreamEvidence['chunks'];
  readonly ended: boolean;

  constructor(call: Call, parts: Pick<StreamEvidence, 'events' | 'unlisted' | 'chunks' | 'ended'>) {
    super(call);
    this.events = parts.events;
    this.unlisted = parts.unlisted;
    this.chunks = parts.chunks;
    this.ended = parts.ended;
  }
}

function eventOf({ n, event, data, fields, json }: SseEvent): StreamEvent {
  const name = event === 'message' ? '' : event;
  return { n, at: `event ${n}`, name, text: data, fields, data: json?.value };
}
