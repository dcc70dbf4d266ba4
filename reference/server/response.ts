import type { Readable } from 'node:stream';

/** JSON with additional headers. A handler that needs none returns the bare value. */
export class JsonResponse {
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
export class EventStreamResponse {
  readonly events: AsyncIterable<ServerEvent> | Iterable<ServerEvent>;
  constructor(events: AsyncIterable<ServerEvent> | Iterable<ServerEvent>) {
    this.events = events;
  }
}

/** Bytes of a media type; `size` is sent as Content-Length, null leaves it out. */
export class BinaryResponse {
  readonly type: string;
  readonly bytes: Uint8Array | Readable | string;
  readonly size: number | null;
  constructor(type: string, bytes: Uint8Array | Readable | string, size: number | null = null) {
    this.type = type;
    this.bytes = bytes;
    this.size = size;
  }
}

/** The frames of an event stream as text. Events of a synchronous source are not awaited one by one. */
export function eventFrames(
  events: EventStreamResponse['events'],
): Generator<string> | AsyncGenerator<string> {
  return Symbol.iterator in events ? syncFrames(events) : asyncFrames(events);
}

function* syncFrames(events: Iterable<ServerEvent>): Generator<string> {
  for (const event of events) yield frame(event);
}

async function* asyncFrames(events: AsyncIterable<ServerEvent>): AsyncGenerator<string> {
  for await (const event of events) yield frame(event);
}

/** One event as text. JSON has no line breaks, so one `data` line is enough. */
function frame({ event, data }: ServerEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
