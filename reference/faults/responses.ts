import type { HandlerRequest } from '../server/handler-request.ts';
import type { Json } from '../server/json.ts';
import { BinaryResponse, EventStreamResponse, JsonResponse, type ServerEvent } from '../server/response.ts';
import { setAtPointer, type ValueChange } from './edit.ts';
import type { FaultHooks } from './fault.ts';

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
