import type { HttpResponse, Piece } from '../exchange.ts';
import { decodedContent, mediaTypeOf } from './content.ts';
import { type SseEvent, SseReader } from './sse-reader.ts';

/** The events of a response (HTML standard, section 9.2). */
export interface EventStream {
  readonly events: readonly SseEvent[];
  /** The incomplete event after the last blank line; null when the stream ended between events. */
  readonly rest: SseEvent | null;
}

const streams = new WeakMap<HttpResponse, EventStream | null>();

/** The events of a response whose media type is `text/event-stream`; null for any other, and where the body was not kept. */
export function eventsOf(response: HttpResponse): EventStream | null {
  const known = streams.get(response);
  if (known !== undefined) return known;
  const stream = isEventStream(response) ? readEvents(decodedContent(response)?.bytes ?? null) : null;
  streams.set(response, stream);
  return stream;
}

/** Whether the media type is `text/event-stream`. */
export function isEventStream(response: Pick<HttpResponse, 'headers'>): boolean {
  return mediaTypeOf(response.headers)?.essence === 'text/event-stream';
}

export function readEvents(bytes: Uint8Array | null): EventStream | null {
  if (bytes === null) return null;
  const reader = new SseReader();
  const events = reader.push(bytes);
  const { events: last, rest } = reader.finish();
  return { events: [...events, ...last], rest };
}

/** When the byte before `offset` arrived, in milliseconds since the request began; null when that is not known. */
export function arrivalTime(pieces: readonly Piece[], offset: number): number | null {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.offset ?? Number.POSITIVE_INFINITY) < offset) low = middle + 1;
    else high = middle;
  }
  return pieces[low - 1]?.at ?? null;
}
