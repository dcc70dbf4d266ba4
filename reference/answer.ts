import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** JSON with headers of its own. A handler that needs none returns the bare value. */
export class Answer {
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;
  constructor(value: unknown, headers: Readonly<Record<string, string>>) {
    this.value = value;
    this.headers = headers;
  }
}

/** One server-sent event; `data` is sent as JSON unless it is text already (`[DONE]`). */
export interface ServerEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** A stream of server-sent events. Its head is sent when the first event is asked for. */
export class EventStream {
  readonly events: AsyncIterable<ServerEvent> | Iterable<ServerEvent>;
  constructor(events: AsyncIterable<ServerEvent> | Iterable<ServerEvent>) {
    this.events = events;
  }
}

/** Bytes of a media type. */
export class Content {
  readonly type: string;
  readonly bytes: Uint8Array | Readable | string;
  readonly size: number | null;
  constructor(type: string, bytes: Uint8Array | Readable | string, size: number | null = null) {
    this.type = type;
    this.bytes = bytes;
    this.size = size;
  }
}

export async function send(reply: FastifyReply, outcome: unknown): Promise<FastifyReply> {
  if (outcome instanceof EventStream) {
    reply.header('content-type', 'text/event-stream; charset=utf-8').header('cache-control', 'no-cache');
    return reply.send(Readable.from(written(outcome.events)));
  }
  if (outcome instanceof Content) {
    reply.header('content-type', outcome.type);
    if (outcome.size !== null) reply.header('content-length', outcome.size);
    return reply.send(outcome.bytes);
  }
  if (outcome instanceof Answer) reply.headers(outcome.headers);
  reply.header('content-type', 'application/json');
  // Serialised here: a bare null, string or number is an answer too.
  return reply.send(JSON.stringify(outcome instanceof Answer ? outcome.value : outcome));
}

/** Events that are there already are written without waiting in between. */
function written(events: EventStream['events']): Generator<string> | AsyncGenerator<string> {
  return Symbol.iterator in events ? writtenAtOnce(events) : writtenAsTheyCome(events);
}

function* writtenAtOnce(events: Iterable<ServerEvent>): Generator<string> {
  for (const event of events) yield frame(event);
}

async function* writtenAsTheyCome(events: AsyncIterable<ServerEvent>): AsyncGenerator<string> {
  for await (const event of events) yield frame(event);
}

function frame({ event, data }: ServerEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
