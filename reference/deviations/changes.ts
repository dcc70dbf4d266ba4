import { tryParseJson } from '../../schemas/json.ts';
import type { Json, JsonObject } from '../http/json.ts';
import { BinaryResponse, EventStreamResponse, JsonResponse, type ServerEvent } from '../http/response.ts';
import type { HandlerRequest } from '../http/route.ts';
import type { HandlerDeviation } from './deviation.ts';
import { cloneJson, dropFields, setAtPointer, type ValueChange } from './json-changes.ts';

interface OutcomeChange {
  readonly json?: (answer: Json) => Json;
  readonly events?: (events: EventStreamResponse['events']) => AsyncIterable<ServerEvent>;
  readonly binary?: (answer: BinaryResponse) => BinaryResponse | Promise<BinaryResponse>;
}

export async function changeOutcome(
  outcome: unknown,
  { json, events, binary }: OutcomeChange,
): Promise<unknown> {
  if (outcome instanceof EventStreamResponse)
    return events === undefined ? outcome : new EventStreamResponse(events(outcome.events));
  if (outcome instanceof BinaryResponse) return binary?.(outcome) ?? outcome;
  if (json === undefined) return outcome;
  return outcome instanceof JsonResponse
    ? new JsonResponse(json(cloneJson(outcome.value)), outcome.headers)
    : json(cloneJson(outcome));
}

function changeHandlerOutcome(change: (request: HandlerRequest) => OutcomeChange): HandlerDeviation {
  return { handle: async (request, proceed) => changeOutcome(await proceed(request), change(request)) };
}

export function changeResponse(change: (answer: Json, request: HandlerRequest) => Json): HandlerDeviation {
  return changeHandlerOutcome((request) => ({ json: (answer) => change(answer, request) }));
}

export function setInResponse(pointer: string, value: ValueChange | Json): HandlerDeviation {
  return changeResponse((answer) => setAtPointer(answer, pointer, value));
}

export function changeBinary(change: NonNullable<OutcomeChange['binary']>): HandlerDeviation {
  return changeHandlerOutcome(() => ({ binary: change }));
}

export interface ParsedEvent {
  /** Name of the event; empty for a chunk, which has none. */
  readonly event: string;
  /** The parsed JSON, or text such as `[DONE]`. */
  readonly data: Json;
}

type EventsChange = (events: readonly ParsedEvent[], request: HandlerRequest) => readonly ParsedEvent[];

/** Changes the events of a stream. Nothing is sent before the last event is known, as a change may depend on it. */
export function changeEvents(change: EventsChange): HandlerDeviation {
  return changeHandlerOutcome((request) => ({
    events: async function* (events) {
      const all: ParsedEvent[] = [];
      for await (const { event = '', data } of events) all.push({ event, data: dataOfEvent(data) });
      for (const { event, data } of change(all, request)) yield event === '' ? { data } : { event, data };
    },
  }));
}

/** The data of an event as JSON. Chunks are serialized already; `[DONE]`, and chunks broken by a fault, stay text. */
export function dataOfEvent(data: unknown): Json {
  const chunk = typeof data === 'string' && data.startsWith('{') ? tryParseJson(data) : undefined;
  return chunk ?? cloneJson(data);
}

/** Changes the body that the handler sees, after validation. */
export function replaceBody(change: (body: JsonObject) => JsonObject): HandlerDeviation {
  return { handle: (request, proceed) => proceed({ ...request, body: change(request.body) }) };
}

/** Hides validated fields of the body and the query from the handler. */
export function ignoreFields(...names: readonly string[]): HandlerDeviation {
  return {
    handle: (request, proceed) =>
      proceed({ ...request, body: dropFields(request.body, names), query: dropFields(request.query, names) }),
  };
}
