import { pointerTokens } from '../../schemas/pointer.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import { BinaryResponse, EventStreamResponse, JsonResponse, type ServerEvent } from '../http/response.ts';
import type { HandlerRequest } from '../http/route.ts';
import type { Service } from '../state/service.ts';
import type { FaultHooks } from './hooks.ts';

/** Computes the replacement of a value; undefined removes it. */
export type ValueChange = (old: Json | undefined) => Json | undefined;

/**
 * A copy of a JSON value, changed at a JSON pointer in which `*` stands for every element of an array.
 * The last token may name a new property; a pointer through a missing property changes nothing.
 */
export function setAtPointer(
  value: Json,
  pointer: string,
  change: ValueChange | Exclude<Json, undefined>,
): Json {
  const make = typeof change === 'function' ? change : () => change;
  return along(value, pointerTokens(pointer), make) ?? null;
}

/**
 * The value with its part at `steps` changed; removed where the change returns undefined. Keys keep their
 * order, so that a fault changes nothing else.
 */
function along(here: Json | undefined, steps: readonly string[], change: ValueChange): Json | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return change(here);
  if (isList(here)) {
    return here.flatMap((item, i) => {
      const wanted = step === '*' || Number(step) === i;
      const changed = wanted ? along(item, rest, change) : item;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isJsonObject(here) || (rest.length > 0 && here[step] === undefined)) return here;
  const changed = along(here[step], rest, change);
  const { [step]: _, ...others } = here;
  if (changed === undefined) return others;
  return here[step] === undefined
    ? { ...here, [step]: changed }
    : Object.fromEntries(Object.entries(here).map(([key, old]) => [key, key === step ? changed : old]));
}

/** The elements of a list envelope. */
export function envelopeElements(answer: Json): readonly JsonObject[] {
  const data = isJsonObject(answer) ? answer['data'] : undefined;
  return isList(data) ? data.filter(isJsonObject) : [];
}

/** `Array.isArray` does not see that a read-only array is one. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Changes JSON responses; streams and binary responses stay as they are. */
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

/** Replaces one value of JSON responses; a function that returns undefined removes it. `*` stands for every element. */
export function setInResponse(pointer: string, value: ValueChange | Json): FaultHooks {
  return changeResponse((answer) => setAtPointer(answer, pointer, value));
}

/** An event of a stream; `data` is JSON, or text such as `[DONE]`. The event name of a chunk is empty. */
export interface FaultyEvent {
  readonly event: string;
  readonly data: Json;
}

/** Changes the events of a stream. They are collected first, so nothing is sent before the last one is known. */
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

/** Replaces one value of the data of every event with this name ('' for chunks), as `setInResponse` does. */
export function setInEvents(name: string, pointer: string, value: ValueChange | Json): FaultHooks {
  return changeEvents((events) =>
    events.map((event) =>
      event.event === name ? { ...event, data: setAtPointer(event.data, pointer, value) } : event,
    ),
  );
}

/** Changes the bytes of binary responses. */
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

/** The changed events. They are read to the end first, because a change may depend on a later event. */
async function* changed(
  { events }: EventStreamResponse,
  request: HandlerRequest,
  change: (events: readonly FaultyEvent[], request: HandlerRequest) => readonly FaultyEvent[],
): AsyncGenerator<ServerEvent> {
  const collected: FaultyEvent[] = [];
  for await (const { event = '', data } of events) collected.push({ event, data: parsed(data) });
  for (const { event, data } of change(collected, request)) yield event === '' ? { data } : { event, data };
}

/** All bytes of a response, also of one that is streamed. */
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

/** A copy of a value as JSON would carry it, so that a change never reaches the stored object. */
export function cloneJson(value: unknown): Json {
  // as: JSON.parse returns JSON
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}

/** The handler does not see a query parameter, though it is validated. */
export function ignoreQuery(name: string): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, query: without(request.query, name) }) };
}

/** The handler does not see fields of the body, though they are validated. */
export function ignoreField(...names: readonly string[]): FaultHooks {
  return replaceBody((body) => names.reduce((rest, name) => without(rest, name), body));
}

/** The handler sees another body than the one that was sent and validated. */
export function replaceBody(change: (body: HandlerRequest['body']) => HandlerRequest['body']): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, body: change(request.body) }) };
}

/** Forces the first function other than the one that `tool_choice` names; without another one, nothing changes. */
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

/** Accepts any value of a field of a JSON body: a value for which `isWrong` is true is removed before validation. */
export function acceptAnyValue(name: string, isWrong: (value: Json) => boolean): FaultHooks {
  return {
    body: (body) => {
      const value = isJsonObject(body) ? body[name] : undefined;
      return isJsonObject(body) && value !== undefined && isWrong(value) ? without(body, name) : body;
    },
  };
}

/** Answers requests that were rejected because of the field `param` with `answer`. */
export function acceptInvalid(param: string, answer: () => Json): FaultHooks {
  return { forgive: (apiError) => (apiError.param === param ? answer() : null) };
}

/** Answers 404 with an object of the unknown id instead. */
export function findUnknown(answer: (id: string) => Json): FaultHooks {
  return {
    forgive: (apiError, { params }) => {
      if (apiError.status !== 404) return null;
      // as: the router's parameters are named text
      return answer(Object.values(params as Record<string, string>).at(-1) ?? '');
    },
  };
}

/** Rejects valid bodies whose field `name` has a value for which `isUnwanted` is true: 400. */
export function rejectValid(name: string, isUnwanted: (value: Json) => boolean): FaultHooks {
  return {
    handle: (request, proceed) => {
      const value = request.body[name];
      if (value === undefined || !isUnwanted(value)) return proceed(request);
      throw ApiError.invalid(name, `'${name}' is not accepted.`);
    },
  };
}

/** A feature that a less able model does not have: each request that uses it is refused. */
export function refuseFeature(
  name: string,
  isUsed: (body: { readonly [name: string]: unknown }) => boolean,
): FaultHooks {
  return {
    handle: (request, proceed) => {
      if (!isUsed(request.body)) return proceed(request);
      throw ApiError.invalid(name, `This model does not support '${name}'.`);
    },
  };
}

/** Fails with 500 for valid bodies whose field `name` has a value for which `isUnwanted` is true. */
export function crashOnValid(name: string, isUnwanted: (value: Json) => boolean): FaultHooks {
  return {
    handle: (request, proceed) => {
      const value = request.body[name];
      if (value === undefined || !isUnwanted(value)) return proceed(request);
      throw new ApiError(500, `Internal error while reading '${name}'.`, { type: 'server_error' });
    },
  };
}

/** Rejects valid bodies that omit the optional field `name`: 400. */
export function requireField(name: string): FaultHooks {
  return {
    handle: (request, proceed) => {
      if (request.body[name] !== undefined) return proceed(request);
      throw ApiError.invalid(name, `'${name}' is required.`);
    },
  };
}

/** A copy of a record without one of its members. */
function without<T extends object>(record: T, name: string): T {
  // as: the removed property was optional, or is not read any more
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name)) as T;
}

/** The name of a function tool; undefined for any other tool. */
function functionName(tool: Json | undefined): Json | undefined {
  return isJsonObject(tool) && isJsonObject(tool['function']) ? tool['function']['name'] : undefined;
}

/** Confirms a deletion without deleting. `kind` is the `object` of the confirmation; `retrieve` answers 404 for unknown ids. */
export function skipDeletion(retrieve: string, kind: string): FaultHooks {
  return {
    handle: async (request, _, ask) => {
      // An unknown id must still get 404, or the fault would break another requirement as well.
      await ask(retrieve, request);
      return { id: Object.values(request.path).at(-1) ?? '', object: kind, deleted: true };
    },
  };
}

/** Answers a modification as if it were stored. */
export function skipModification(retrieve: string): FaultHooks {
  return {
    handle: async (request, _, ask) => ({ ...fields(await ask(retrieve, request)), ...request.body }),
  };
}

/** A modification also resets the fields of `blank` that it omits. */
export function resetOtherFields(blank: Readonly<Record<string, Json>>): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, body: { ...blank, ...request.body } }) };
}

/** Answers an action with the unchanged object, without its effect. */
export function skipEffect(retrieve: string): FaultHooks {
  return { handle: (request, _, ask) => ask(retrieve, request) };
}

/** The same for a cancellation, answered with the object as it was while it ran: it may have moved on since the request. */
export function continueInState(retrieve: string, status: string): FaultHooks {
  return {
    handle: async (request, _, ask) =>
      setAtPointer(cloneJson(await ask(retrieve, request)), '/status', status),
  };
}

/** Stores files with the purpose assistants under another purpose, so that operations of that purpose accept them. */
export function storeUnderOtherPurpose(purpose: string): FaultHooks {
  return {
    handle: async (request, proceed) => {
      if (request.body['purpose'] !== 'assistants') return proceed(request);
      // A file that is invalid for the other purpose is stored under its own.
      const made = await proceed({ ...request, body: { ...request.body, purpose } }).catch(() =>
        proceed(request),
      );
      return setAtPointer(cloneJson(made), '/purpose', 'assistants');
    },
  };
}

/** The content of a file answers 404 once the file was removed from a vector store. */
export function forgetContent(): FaultHooks {
  const removed = new WeakMap<Service, Set<string>>();
  return {
    handle: async (request, proceed) => {
      const file = request.path['file_id'] ?? '';
      const gone = removed.get(request.service) ?? new Set();
      removed.set(request.service, gone);
      if (request.path['vector_store_id'] !== undefined) gone.add(file);
      else if (gone.has(file)) throw new ApiError(404, `The content of '${file}' does not exist.`);
      return proceed(request);
    },
  };
}

/** Finds what was created below one owner below any other, too; `name` is the id in the path of its retrieval. */
export function findBelowAnyOwner(name: string): FaultHooks {
  const created = new WeakMap<Service, Map<Json, HandlerRequest['path']>>();
  return {
    handle: async (request, proceed) => {
      const paths = created.get(request.service) ?? new Map();
      created.set(request.service, paths);
      const id = request.path[name];
      if (id !== undefined) return proceed({ ...request, path: { ...request.path, ...paths.get(id) } });
      const answer = await proceed(request);
      paths.set(fields(answer)['id'] ?? null, request.path);
      return answer;
    },
  };
}

/** The members of an object in a response, with or without additional headers. */
function fields(outcome: unknown): Readonly<Record<string, Json>> {
  const value =
    typeof outcome === 'object' && outcome !== null && 'value' in outcome ? outcome.value : outcome;
  const json = cloneJson(value);
  return isJsonObject(json) ? json : {};
}
