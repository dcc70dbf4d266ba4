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

/**
 * The events of a response that is an event stream by its media type, or under a media type of another kind by its first bytes;
 * null for any other, and where the body was not kept.
 */
export function eventsOf(response: HttpResponse): EventStream | null {
  const known = streams.get(response);
  if (known !== undefined) return known;
  const bytes =
    isEventStream(response) || mayBeMislabelled(response) ? decodedContent(response)?.bytes : null;
  const isStream = bytes != null && (isEventStream(response) || beginsAsStream(bytes));
  const stream = isStream ? readEvents(bytes) : null;
  streams.set(response, stream);
  return stream;
}

/** Media types that servers send with a stream by mistake; null where they send none. */
const MISLABELS: readonly (string | null)[] = [
  null,
  'application/json',
  'application/octet-stream',
  'application/x-ndjson',
  'text/html',
  'text/plain',
];
/** Comments and other fields, and then data that is JSON or the end of a stream: no JSON and hardly a text begins so. */
const STREAM_START = /^\uFEFF?(?:(?::|event:|id:|retry:)[^\r\n]*[\r\n]+)*data: ?(?:\{|\[DONE\])/;
/** Bytes of a body that are looked at. */
const START = 1024;

/** Larger bodies under another media type are not searched. Bytes. */
const LARGEST_SEARCHED = 16 * 1024 * 1024;
/** First bytes of `data:`, `event:`, `id:`, `retry:`, of a comment, and of a byte order mark: all other bodies need no more. */
const FIRST = new Set([...'deir:'].map((letter) => letter.charCodeAt(0)).concat(0xef));

function mayBeMislabelled(response: HttpResponse): boolean {
  const { headers, body } = response;
  if (body.size > LARGEST_SEARCHED || !MISLABELS.includes(mediaTypeOf(headers)?.essence ?? null))
    return false;
  // No stream begins as JSON does.
  return decodedContent(response)?.isStoredAsJson !== true;
}

function beginsAsStream(bytes: Uint8Array): boolean {
  return FIRST.has(bytes[0] ?? 0) && STREAM_START.test(Buffer.from(bytes.subarray(0, START)).toString());
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
