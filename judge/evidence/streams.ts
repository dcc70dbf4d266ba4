import { createHash } from 'node:crypto';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf, type SseEvent } from '../../exchange/http/event-stream.ts';
import { sortKeys } from '../../exchange/matching/request-key.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { isJsonObject } from '../../schemas/json.ts';
import type { Collector, Evidence, Selector } from '../requirements/requirement.ts';
import { expectedShape } from '../schema/response-evaluator.ts';
import { type Call, isErrorEvent } from '../trace/call.ts';
import { LruMap } from '../trace/lru-map.ts';
import { EvidentCall, inWords, type RequestEvidence, type SelectorOptions, stateless } from './calls.ts';

export interface StreamEvent {
  /** Its number in the stream, from 1. */
  readonly n: number;
  /** For findings, such as `event 3`. */
  readonly at: string;
  /** Empty without an `event` field. */
  readonly name: string;
  /** The text of its data. */
  readonly text: string;
  /** The names of its first lines, without comments. */
  readonly fields: readonly string[];
  /** Undefined if the data is not JSON. */
  readonly data: Json | undefined;
}

export interface JsonEvent extends StreamEvent {
  /** The parsed data. */
  readonly data: Json;
}

/** A successful event stream. */
export interface StreamEvidence extends RequestEvidence {
  /** Events that the specification lists. */
  readonly events: readonly StreamEvent[];
  /** Other events, without errors: the target is free to send any. */
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

/**
 * Successful event streams whose transfer was not interrupted, even without events. Includes streams that report an error,
 * because the specification states the end of every stream.
 */
export function completeStreams(operation: string): Selector<StreamEvidence> {
  const needs = `a stream of ${operation} that was not interrupted`;
  return stateless('complete streams', operation, { needs }, (call) => {
    const stream = call.complete ? anyStreamOf(call) : null;
    return stream === null ? [] : [stream];
  });
}

/** Null for other responses, and for streams without events. */
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
  const sound = stream.events.filter((event) => !isErrorEvent(event));
  const all = sound.map(eventOf);
  const listed = all.filter(({ name }) => Object.hasOwn(known, name));
  return new StreamOfCall(call, {
    events: listed,
    unlisted: all.filter(({ name }) => !Object.hasOwn(known, name)),
    chunks: listed.filter((event): event is JsonEvent => event.data !== undefined),
    ended: call.complete && sound.length === stream.events.length,
  });
}

/** Evidence of one stream. A class, like `EvidentCall`, so that all streams share one hidden class and reads stay fast. */
class StreamOfCall extends EvidentCall implements StreamEvidence {
  readonly events: StreamEvidence['events'];
  readonly unlisted: StreamEvidence['unlisted'];
  readonly chunks: StreamEvidence['chunks'];
  readonly ended: boolean;

  constructor(call: Call, found: Pick<StreamEvidence, 'events' | 'unlisted' | 'chunks' | 'ended'>) {
    super(call);
    this.events = found.events;
    this.unlisted = found.unlisted;
    this.chunks = found.chunks;
    this.ended = found.ended;
  }
}

function eventOf({ n, event, data, fields, json }: SseEvent): StreamEvent {
  // Clients name an event without a name `message`.
  const name = event === 'message' ? '' : event;
  return { n, at: `event ${n}`, name, text: data, fields, data: json?.value };
}

/** Responses to the same request, at least one streamed and one not, to compare them. */
export interface StreamedPair extends Evidence {
  /** The JSON body of the request, without `stream` and `stream_options`. */
  readonly asked: Json;
  /** The responses in one piece. */
  readonly plain: readonly { readonly call: Call; readonly answer: Json }[];
  /** Only streams that ended by themselves. */
  readonly streamed: readonly StreamEvidence[];
}

interface Group {
  readonly asked: Json;
  readonly plain: { readonly call: Call; readonly answer: Json }[];
  readonly streamed: StreamEvidence[];
}

/** Maximum number of responses of one kind kept per request. */
const KEPT = 8;

/** Pairs requests that differ only in `stream` and `stream_options`; complete at the end of the trace. */
export function streamedPairs(operation: string): Selector<StreamedPair> {
  return getOrMake(selectors, operation, () => ({
    operations: [operation],
    variant: null,
    needs: `a whole stream and an answer in one piece to the same request of ${operation}`,
    collect: pairCollector,
  }));
}

const selectors = new Map<string, Selector<StreamedPair>>();

function pairCollector(): Collector<StreamedPair> {
  const groups = new LruMap<Group>();
  return {
    call: (call) => {
      const { requestJson: asked, responseJson: answer } = call;
      if (!isJsonObject(asked) || call.responseClass !== 'accepted') return [];
      const { stream: _, stream_options: __, ...rest } = asked;
      const group = groups.at(bodyDigest(rest), () => ({ asked: rest, plain: [], streamed: [] }));
      const stream = streamOf(call);
      if (stream?.ended && group.streamed.length < KEPT) group.streamed.push(stream);
      else if (stream === null && answer !== undefined && group.plain.length < KEPT)
        group.plain.push({ call, answer });
      return [];
    },
    finish: () =>
      [...groups.values()]
        .filter(({ plain, streamed }) => plain.length > 0 && streamed.length > 0)
        .map((group) => ({
          ...group,
          exchanges: [...group.plain, ...group.streamed].map(({ call }) => call.exchange),
        })),
  };
}

/** A digest of JSON that ignores the order of keys. */
export function bodyDigest(body: Json): string {
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(body)))
    .digest('base64');
}
