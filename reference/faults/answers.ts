import { Answer, Content, EventStream, type ServerEvent } from '../answer.ts';
import type { Call } from '../call.ts';
import type { Json } from '../json.ts';
import { type Change, put } from './edit.ts';
import type { Misdeed } from './fault.ts';

/** JSON answers come out changed. */
export function inAnswer(change: (answer: Json, call: Call) => Json): Misdeed {
  return {
    handle: async (call, proceed) => {
      const outcome = await proceed(call);
      if (outcome instanceof EventStream || outcome instanceof Content) return outcome;
      if (outcome instanceof Answer) return new Answer(change(copy(outcome.value), call), outcome.headers);
      return change(copy(outcome), call);
    },
  };
}

/** JSON answers have something else in one place; a function gives undefined to leave it out. */
export function answerWith(pointer: string, value: Change | Json): Misdeed {
  return inAnswer((answer) => put(answer, pointer, value));
}

/** An event with JSON data, or with text. */
export interface Told {
  readonly event: string;
  readonly data: Json;
}

/** The events of a stream come out changed. They are collected first: nothing is told before all is known. */
export function inEvents(change: (events: readonly Told[], call: Call) => readonly Told[]): Misdeed {
  return {
    handle: async (call, proceed) => {
      const outcome = await proceed(call);
      return outcome instanceof EventStream ? new EventStream(changed(outcome, call, change)) : outcome;
    },
  };
}

/** Events of these names (a stream of chunks has none: '') have something else in one place. */
export function eventsWith(name: string, pointer: string, value: Change | Json): Misdeed {
  return inEvents((events) =>
    events.map((told) => (told.event === name ? { ...told, data: put(told.data, pointer, value) } : told)),
  );
}

/** The bytes of files come out changed. */
export function inContent(change: (bytes: Buffer, call: Call) => Buffer): Misdeed {
  return {
    handle: async (call, proceed) => {
      const outcome = await proceed(call);
      if (!(outcome instanceof Content)) return outcome;
      const bytes = change(await whole(outcome), call);
      return new Content(outcome.type, bytes, bytes.byteLength);
    },
  };
}

async function* changed(
  { events }: EventStream,
  call: Call,
  change: (events: readonly Told[], call: Call) => readonly Told[],
): AsyncGenerator<ServerEvent> {
  const told: Told[] = [];
  for await (const { event = '', data } of events) told.push({ event, data: parsed(data) });
  for (const { event, data } of change(told, call)) yield event === '' ? { data } : { event, data };
}

async function whole({ bytes }: Content): Promise<Buffer> {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  if (bytes instanceof Uint8Array) return Buffer.from(bytes);
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Chunks are handed over as text that is written already; `[DONE]` stays text. */
function parsed(data: unknown): Json {
  return typeof data === 'string' && data.startsWith('{') ? copy(JSON.parse(data)) : copy(data);
}

/** A value as it would be sent; what the service keeps is never changed. */
export function copy(value: unknown): Json {
  // as: what JSON.parse gives is JSON
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}
