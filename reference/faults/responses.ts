import type { HandlerRequest } from '../server/handler-request.ts';
import type { Json } from '../server/json.ts';
import { BinaryResponse, EventStreamResponse, JsonResponse, type ServerEvent } from '../server/response.ts';
import { setAtPointer, type ValueChange } from './edit.ts';
import type { FaultHooks } from './fault.ts';

/** JSON answers come out changed. */
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

/** JSON answers have something else in one place; a function gives undefined to leave it out. */
export function setInResponse(pointer: string, value: ValueChange | Json): FaultHooks {
  return changeResponse((answer) => setAtPointer(answer, pointer, value));
}

/** An event with JSON data, or with text. */
export interface FaultyEvent {
  readonly event: string;
  readonly data: Json;
}

/** The events of a stream come out changed. They are collected first: nothing is told before all is known. */
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

/** Events of these names (a stream of chunks has none: '') have something else in one place. */
export function setInEvents(name: string, pointer: string, value: ValueChange | Json): FaultHooks {
  return changeEvents((events) =>
    events.map((event) =>
      event.event === name ? { ...event, data: setAtPointer(event.data, pointer, value) } : event,
    ),
  );
}

/** The bytes of files come out changed. */
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
  const told: FaultyEvent[] = [];
  for await (const { event = '', data } of events) told.push({ event, data: parsed(data) });
  for (const { event, data } of change(told, request)) yield event === '' ? { data } : { event, data };
}

async function whole({ bytes }: BinaryResponse): Promise<Buffer> {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  if (bytes instanceof Uint8Array) return Buffer.from(bytes);
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Chunks are handed over as text that is written already; `[DONE]` stays text. */
function parsed(data: unknown): Json {
  return typeof data === 'string' && data.startsWith('{') ? cloneJson(JSON.parse(data)) : cloneJson(data);
}

/** A value as it would be sent; what the service keeps is never changed. */
export function cloneJson(value: unknown): Json {
  // as: what JSON.parse gives is JSON
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}
