import { getOrMake } from '../../schemas/maps.ts';
import { decodedContent, mediaTypeOf } from './content.ts';
import type { HttpResponse, Piece } from './message.ts';
import { type EventStream, readEvents } from './sse-reader.ts';

const MISLABELS: readonly (string | null)[] = [
  null,
  'application/json',
  'application/octet-stream',
  'application/x-ndjson',
  'text/html',
  'text/plain',
];
/** Comments and fields, then data that is an object or the end marker. No JSON and almost no text begins like this. */
const STREAM_START = /^\uFEFF?(?:(?::|event:|id:|retry:)[^\r\n]*[\r\n]+)*data: ?(?:\{|\[DONE\])/;
const START_BYTES = 1024;
const MAX_MISLABELLED_BYTES = 16 * 1024 * 1024;
/** A mislabelled stream begins like `data:`, `event:`, `id:`, `retry:`, a comment, or a byte order mark. */
const FIRST_BYTES = new Set([...Buffer.from('deir:'), 0xef]);

const TOO_LONG = 'too long';
const streams = new WeakMap<HttpResponse, EventStream | typeof TOO_LONG | null>();

/**
 * The events of a response that is an event stream according to its media type or, if the media type is one that
 * servers often send with streams by mistake, according to its first bytes. Null for other responses, if the body was
 * not kept or cannot be decoded, and for a stream too long to be read whole, because part of it would prove nothing.
 */
export function eventsOf(response: HttpResponse): EventStream | null {
  const stream = readStream(response);
  return stream === TOO_LONG ? null : stream;
}

function readStream(response: HttpResponse): EventStream | typeof TOO_LONG | null {
  return getOrMake(streams, response, () => {
    const bytes = streamBytesOf(response);
    return bytes === null ? null : readWholeStream(bytes);
  });
}

function streamBytesOf(response: HttpResponse): Uint8Array | null {
  const isLabelled = isEventStream(response);
  const bytes = isLabelled || mayBeMislabelled(response) ? (decodedContent(response)?.bytes ?? null) : null;
  return bytes !== null && (isLabelled || matchesStreamStart(bytes)) ? bytes : null;
}

function readWholeStream(bytes: Uint8Array): EventStream | typeof TOO_LONG {
  const stream = readEvents(bytes);
  if (stream === null || stream.rest?.isTooLong === true) return TOO_LONG;
  return stream.events.some(({ isTooLong }) => isTooLong) ? TOO_LONG : stream;
}

/**
 * Whether a response cannot be judged because it is too large to be read, or is a stream with an event that is too long
 * or with too many events.
 */
export function isTooLongToRead(response: HttpResponse): boolean {
  const { body } = response;
  if (!body.isKept) return body.size > 0 && !body.isUnknown;
  return readStream(response) === TOO_LONG;
}

function mayBeMislabelled(response: HttpResponse): boolean {
  const { headers, body } = response;
  if (body.size > MAX_MISLABELLED_BYTES || !MISLABELS.includes(mediaTypeOf(headers)?.essence ?? null))
    return false;
  // No stream begins like JSON.
  return decodedContent(response)?.isStoredAsJson !== true;
}

/** Null if more bytes are needed to decide. */
export function beginsLikeStream(bytes: Uint8Array): boolean | null {
  if (bytes.length > 0 && !FIRST_BYTES.has(bytes[0] ?? 0)) return false;
  if (matchesStreamStart(bytes)) return true;
  return bytes.length < START_BYTES ? null : false;
}

function matchesStreamStart(bytes: Uint8Array): boolean {
  if (!FIRST_BYTES.has(bytes[0] ?? 0)) return false;
  return STREAM_START.test(Buffer.from(bytes.subarray(0, START_BYTES)).toString());
}

export function isEventStream(response: Pick<HttpResponse, 'headers'>): boolean {
  return mediaTypeOf(response.headers)?.essence === 'text/event-stream';
}

/** When the byte before `offset` arrived, in milliseconds since the request began; null if unknown. */
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
