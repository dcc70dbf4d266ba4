import { pointerTokens } from '../../schemas/pointer.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import { BinaryResponse, EventStreamResponse, JsonResponse, type ServerEvent } from '../http/response.ts';
import type { HandlerRequest } from '../http/route.ts';
import type { DeviationHooks } from './deviation.ts';

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

function changeHandlerOutcome(change: (request: HandlerRequest) => OutcomeChange): DeviationHooks {
  return { handle: async (request, proceed) => changeOutcome(await proceed(request), change(request)) };
}

export function changeResponse(change: (answer: Json, request: HandlerRequest) => Json): DeviationHooks {
  return changeHandlerOutcome((request) => ({ json: (answer) => change(answer, request) }));
}

export function setInResponse(pointer: string, value: ValueChange | Json): DeviationHooks {
  return changeResponse((answer) => setAtPointer(answer, pointer, value));
}

export function changeBinary(change: NonNullable<OutcomeChange['binary']>): DeviationHooks {
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
export function changeEvents(change: EventsChange): DeviationHooks {
  return changeHandlerOutcome((request) => ({
    events: async function* (events) {
      const all: ParsedEvent[] = [];
      for await (const { event = '', data } of events) all.push({ event, data: dataOfEvent(data) });
      for (const { event, data } of change(all, request)) yield event === '' ? { data } : { event, data };
    },
  }));
}

/** The data of an event as JSON. Chunks are serialized already; `[DONE]` stays text. */
export function dataOfEvent(data: unknown): Json {
  return cloneJson(typeof data === 'string' && data.startsWith('{') ? JSON.parse(data) : data);
}

/** A copy by a round trip through JSON, so that a change never reaches the stored object. */
export function cloneJson(value: unknown): Json {
  // as: JSON.parse returns JSON
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}

/** Changes the body that the handler sees, after validation. */
export function replaceBody(change: (body: JsonObject) => JsonObject): DeviationHooks {
  return { handle: (request, proceed) => proceed({ ...request, body: change(request.body) }) };
}

/** Hides validated fields of the body and the query from the handler. */
export function ignoreFields(...names: readonly string[]): DeviationHooks {
  return {
    handle: (request, proceed) =>
      proceed({ ...request, body: dropFields(request.body, names), query: dropFields(request.query, names) }),
  };
}

export function dropFields<V>(
  object: Readonly<Record<string, V>>,
  names: readonly string[],
): Readonly<Record<string, V>> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function elementsOf(value: Json | undefined): readonly Json[] {
  return isJsonList(value) ? value : [];
}

/** Computes the replacement of a value; undefined removes it. */
export type ValueChange = (old: Json | undefined) => Json | undefined;

/**
 * Returns a copy of a JSON value, changed at a JSON pointer; `*` selects every element of an array, `-1` the last one.
 * The last token may name a new property; a pointer through a missing property changes nothing.
 */
export function setAtPointer(value: Json, pointer: string, change: ValueChange | Json): Json {
  const compute = typeof change === 'function' ? change : () => change;
  return changeAlong(value, pointerTokens(pointer), compute) ?? null;
}

function changeAlong(
  here: Json | undefined,
  steps: readonly string[],
  change: ValueChange,
): Json | undefined {
  const [step, ...laterSteps] = steps;
  if (step === undefined) return change(here);
  if (isJsonList(here)) {
    const index = step === '-1' ? here.length - 1 : Number(step);
    return here.flatMap((item, i) => {
      const changed = step === '*' || i === index ? changeAlong(item, laterSteps, change) : item;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isJsonObject(here) || (laterSteps.length > 0 && here[step] === undefined)) return here;
  const changed = changeAlong(here[step], laterSteps, change);
  if (changed === undefined) return dropFields(here, [step]);
  return here[step] === undefined
    ? { ...here, [step]: changed }
    : Object.fromEntries(Object.entries(here).map(([key, old]) => [key, key === step ? changed : old]));
}
