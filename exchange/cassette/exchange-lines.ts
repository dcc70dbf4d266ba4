import type { Exchange } from '../exchange.ts';
import { Body, MAX_READ_BYTES } from '../http/body.ts';
import type { BlobStore } from './blobs.ts';
import { inlineBytes } from './body-encoding.ts';
import { type EventOf, type JournalEvent, MAX_PIECES } from './lines.ts';
import { restoreBoundary, storedBody } from './stored-body.ts';

export interface ExchangeLines {
  readonly request: EventOf<'request'>;
  /** Null for a request without a body. */
  readonly requestBody: EventOf<'request-body'> | null;
  /** Null if no status line arrived, or that of a compressed response was not written before a kill. */
  readonly response: EventOf<'response'> | null;
  /** Bytes of an event stream; null for other bodies, for a stream without pieces, and for one that became a blob. */
  readonly stream: Buffer | null;
  /** Null for responses without a body, and for bodies that are in `stream`. */
  readonly responseBody: EventOf<'response-body'> | null;
  /** Offset and arrival time (milliseconds) of pieces of the response body, at most `MAX_PIECES`. */
  readonly arrived: readonly (readonly [offset: number, at: number])[];
  /** Time of the last piece of a stream, even if `arrived` lacks it, or the last one in `arrived`; 0 without pieces. */
  readonly last: number;
  /** Null if the exchange has not ended. */
  readonly end: EventOf<'end'> | null;
}

/** Limits above which a stream is stored as one body instead of event by event. */
const LIMITS = { bytes: MAX_READ_BYTES, pieces: MAX_PIECES };

/**
 * The lines of one exchange, in bounded memory if there are `blobs`: a stream beyond the limits becomes a body in a
 * blob. Null if there is no request among them.
 */
export function collectLines(
  events: Iterable<JournalEvent>,
  blobs: Pick<BlobStore, 'begin'> | null,
  limits = LIMITS,
): ExchangeLines | null {
  const otherEvents: JournalEvent[] = [];
  const arrived: (readonly [offset: number, at: number])[] = [];
  const received = { pieces: 0, bytes: 0, last: 0 };
  let held: Buffer[] = [];
  let blob: ReturnType<BlobStore['begin']> | null = null;
  let size = 0;
  for (const event of events) {
    if (event.e !== 'piece') {
      otherEvents.push(event);
      continue;
    }
    if (event.size > 0 && arrived.length < limits.pieces) arrived.push([received.bytes, event.at]);
    received.pieces += 1;
    received.bytes += event.size;
    received.last = event.at;
    held.push(inlineBytes(event));
    if (received.bytes > limits.bytes || received.pieces > limits.pieces) blob ??= blobs?.begin() ?? null;
    if (blob === null) continue;
    for (const bytes of held) {
      blob.write(bytes);
      size += bytes.length;
    }
    held = [];
  }
  const find = <E extends JournalEvent['e']>(kind: E): EventOf<E> | null =>
    // as: the predicate compares the discriminator, which TypeScript does not follow through a type parameter
    (otherEvents.find((event) => event.e === kind) as EventOf<E> | undefined) ?? null;
  const request = find('request');
  if (request === null) return null;
  const longStream = blob && {
    i: request.i,
    e: 'response-body' as const,
    size,
    pieces: arrived,
    blob: blob.finish(),
  };
  const responseBody = longStream ?? find('response-body');
  const stream = received.pieces === 0 || longStream !== null ? null : Buffer.concat(held);
  return {
    request,
    requestBody: find('request-body'),
    response: find('response'),
    stream,
    responseBody,
    arrived: responseBody?.pieces ?? arrived,
    last: received.pieces > 0 ? received.last : (responseBody?.pieces.at(-1)?.[1] ?? 0),
    end: find('end'),
  };
}

/** Null unless the events include the request and the end. */
export function assembleExchange(
  events: readonly JournalEvent[],
  blobs: Pick<BlobStore, 'read'>,
): Exchange | null {
  const lines = collectLines(events, null);
  if (lines === null || lines.end === null) return null;
  const { request, requestBody, response, responseBody, stream, arrived, end } = lines;
  const { i, after, scenario, probe, method, target, headers, boundary } = request;
  const sentBody = requestBody === null ? Body.empty : storedBody(requestBody, requestBody.size, blobs);
  return {
    id: `e${i}`,
    after,
    ended: end.ended,
    scenario,
    probe,
    request: { method, target, headers, body: restoreBoundary(sentBody, boundary) },
    response: response && {
      status: response.status,
      reason: response.reason,
      headers: response.headers,
      body:
        responseBody === null ? Body.from(stream ?? '') : storedBody(responseBody, responseBody.size, blobs),
      trailers: end.trailers,
      pieces: arrived.map(([offset, at]) => ({ offset, at })),
    },
    end: { how: end.how, detail: end.detail, at: end.at },
  };
}
