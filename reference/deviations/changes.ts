import { pointerTokens } from '../../schemas/pointer.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import { BinaryResponse, EventStreamResponse, JsonResponse, type ServerEvent } from '../http/response.ts';
import type { HandlerRequest } from '../http/route.ts';
import type { FaultHooks } from './hooks.ts';

/** Computes the replacement of a value; undefined removes it. */
export type ValueChange = (old: Json | undefined) => Json | undefined;

/**
 * A copy of a JSON value changed at a JSON pointer; `*` selects every element of an array. The last token may name a
 * new property; a pointer through a missing property changes nothing.
 */
export function setAtPointer(
  value: Json,
  pointer: string,
  change: ValueChange | Exclude<Json, undefined>,
): Json {
  const make = typeof change === 'function' ? change : () => change;
  return changeAlong(value, pointerTokens(pointer), make) ?? null;
}

/** Keys keep their order, so that a fault changes nothing else. */
function changeAlong(
  here: Json | undefined,
  steps: readonly string[],
  change: ValueChange,
): Json | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return change(here);
  if (isList(here)) {
    return here.flatMap((item, i) => {
      const wanted = step === '*' || Number(step) === i;
      const changed = wanted ? changeAlong(item, rest, change) : item;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isJsonObject(here) || (rest.length > 0 && here[step] === undefined)) return here;
  const changed = changeAlong(here[step], rest, change);
  const { [step]: _, ...others } = here;
  if (changed === undefined) return others;
  return here[step] === undefined
    ? { ...here, [step]: changed }
    : Object.fromEntries(Object.entries(here).map(([key, old]) => [key, key === step ? changed : old]));
}

export function envelopeElements(answer: Json): readonly JsonObject[] {
  const data = isJsonObject(answer) ? answer['data'] : undefined;
  return isList(data) ? data.filter(isJsonObject) : [];
}

/** `Array.isArray` does not narrow read-only arrays. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function changeResponse(change: (answer: Json, request: HandlerRequest) => Json): FaultHooks {
  return {
    handle: async (request, proceed) => {
      const outcome = await proceed(request);
      if (outcome instanceof EventStreamResponse || outcome instanceof BinaryResponse) return outcome;
      if (outcome instanceof JsonResponse)
        return new JsonResponse(change(cloneJson(outcome.value), request), outcome.headers);
      return change(cloneJson(outcome), request);
    },
  };
}

/** Replaces a value in JSON responses; undefined removes it. `*` selects every element. */
export function setInResponse(pointer: string, value: ValueChange | Json): FaultHooks {
  return changeResponse((answer) => setAtPointer(answer, pointer, value));
}

/** An event of a stream, as faults and alternatives change it. */
export interface FaultyEvent {
  /** Name of the event; empty for a chunk, which has none. */
  readonly event: string;
  /** The parsed JSON, or text such as `[DONE]`. */
  readonly data: Json;
}

/**
 * Changes the events of a stream. Nothing is sent before the last event is known, because a change may depend on it.
 */
export function changeEvents(
  change: (events: readonly FaultyEvent[], request: HandlerRequest) => readonly FaultyEvent[],
): FaultHooks {
  return {
    handle: async (request, proceed) => {
      const outcome = await proceed(request);
      return outcome instanceof EventStreamResponse
        ? new EventStreamResponse(changed(outcome, request, change))
        : outcome;
    },
  };
}

export function changeContent(change: (bytes: Buffer, request: HandlerRequest) => Buffer): FaultHooks {
  return {
    handle: async (request, proceed) => {
      const outcome = await proceed(request);
      if (!(outcome instanceof BinaryResponse)) return outcome;
      const bytes = change(await whole(outcome), request);
      return new BinaryResponse(outcome.type, bytes, bytes.byteLength);
    },
  };
}

async function* changed(
  { events }: EventStreamResponse,
  request: HandlerRequest,
  change: (events: readonly FaultyEvent[], request: HandlerRequest) => readonly FaultyEvent[],
): AsyncGenerator<ServerEvent> {
  const collected: FaultyEvent[] = [];
  for await (const { event = '', data } of events) collected.push({ event, data: parsed(data) });
  for (const { event, data } of change(collected, request)) yield event === '' ? { data } : { event, data };
}

async function whole({ bytes }: BinaryResponse): Promise<Buffer> {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  if (bytes instanceof Uint8Array) return Buffer.from(bytes);
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Chunks are already serialized as JSON text; `[DONE]` stays text. */
function parsed(data: unknown): Json {
  return typeof data === 'string' && data.startsWith('{') ? cloneJson(JSON.parse(data)) : cloneJson(data);
}

/** A copy as JSON would carry it, so that a change never reaches the stored object. */
export function cloneJson(value: unknown): Json {
  // as: JSON.parse returns JSON
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}

/** The fields of the body and the query are validated but ignored. */
export function ignoreField(...names: readonly string[]): FaultHooks {
  const ignored = <T extends object>(given: T) => names.reduce((rest, name) => omit(rest, name), given);
  return {
    handle: (request, proceed) =>
      proceed({ ...request, body: ignored(request.body), query: ignored(request.query) }),
  };
}

/** The handler sees a changed body. */
export function replaceBody(change: (body: HandlerRequest['body']) => HandlerRequest['body']): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, body: change(request.body) }) };
}

/** Forces the first function other than the one that `tool_choice` names, if there is one. */
export function forceOtherFunction(): FaultHooks {
  return replaceBody((body) => {
    const { tools, tool_choice: choice } = body;
    if (!isJsonObject(choice) || !isJsonObject(choice['function']) || !Array.isArray(tools)) return body;
    const forced = choice['function']['name'];
    const other = tools.find(
      (tool: Json) => functionName(tool) !== undefined && functionName(tool) !== forced,
    );
    const name = functionName(other);
    return name === undefined ? body : { ...body, tool_choice: { type: 'function', function: { name } } };
  });
}

function omit<T extends object>(record: T, name: string): T {
  // as: the removed property was optional, or is no longer read
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name)) as T;
}

function functionName(tool: Json | undefined): Json | undefined {
  return isJsonObject(tool) && isJsonObject(tool['function']) ? tool['function']['name'] : undefined;
}
