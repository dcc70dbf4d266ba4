import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { isCutShort } from '../../exchange/http/content.ts';
import { eventsOf, type SseEvent } from '../../exchange/http/event-stream.ts';
import { firstHeader } from '../../exchange/http/headers.ts';

/**
 * The class of a response, on which verdicts depend: the specification leaves exact error codes and bodies open.
 * `accepted`: 2xx. `rejected`: the request is wrong (other 4xx, or a stream that begins with an error). `refused`:
 * 401, 403, 407. `absent`: 404, 405, 501. `capacity`: 402 (the account has spent its budget), 408, 429, 503, or no
 * response in time. `failed`: other 5xx. `unanswered`: inconclusive (reset, abort, 1xx, 3xx).
 */
export type ResponseClass =
  | 'accepted'
  | 'rejected'
  | 'refused'
  | 'absent'
  | 'capacity'
  | 'failed'
  | 'unanswered';

/** Statuses whose class differs from that of other statuses with the same first digit. */
const BY_STATUS: Readonly<Record<number, ResponseClass>> = {
  401: 'refused',
  403: 'refused',
  407: 'refused',
  404: 'absent',
  405: 'absent',
  501: 'absent',
  402: 'capacity',
  408: 'capacity',
  429: 'capacity',
  503: 'capacity',
};

/** A 2xx stream counts as rejected if its first event is an error. */
export function responseClassOf({ response, end }: Exchange): ResponseClass {
  if (response === null) return end.how === 'upstream-timeout' ? 'capacity' : 'unanswered';
  const { status } = response;
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 500) return 'failed';
  if (status >= 400) return 'rejected';
  if (status < 200 || status >= 300) return 'unanswered';
  const first = eventsOf(response)?.events[0];
  return first !== undefined && isErrorEvent(first) ? 'rejected' : 'accepted';
}

/** Whether a status means overload; null means a timeout. */
export function isCapacityStatus(status: number | null): boolean {
  return status === null || BY_STATUS[status] === 'capacity';
}

/** An event that reports an error; its shape is not specified. */
export function isErrorEvent(event: SseEvent): boolean {
  if (event.event === 'error') return true;
  const data = event.json?.value;
  if (typeof data !== 'object' || data === null || Array.isArray(data) || 'object' in data) return false;
  return 'error' in data && data['error'] !== null;
}

/** Whether the connection was closed before a byte of the response arrived. */
export function isClosed({ response, end }: Exchange): boolean {
  return response === null && end.how === 'upstream-reset';
}

/** Bytes of a body that a service reads before it can refuse a request for its length; what follows may stay unread. */
const READ_AT_ONCE = 64 * 1024;

/** Bytes of a body that may wait unread in the buffers of a connection and of proxies, although all of them were sent. */
const MOST_BUFFERED = 64 * 1024 * 1024;

/**
 * Whether a service that refuses a request for its length may close the connection before it has read the body. Its response is
 * then often lost, even if all bytes were sent: they may wait in buffers. `limit`: the stated size in bytes, if any. Once more was sent
 * beyond it than buffers hold, the service has read on although it could refuse, and owes a response.
 */
export function mayStayUnread(request: HttpRequest, limit = Number.POSITIVE_INFINITY): boolean {
  const { headers, body } = request;
  const length = firstHeader(headers, 'content-length');
  if (length !== null && body.size - limit > MOST_BUFFERED && !isCutShort(request)) return false;
  return Math.max(Number(length ?? 0), body.size) > READ_AT_ONCE;
}

/** Whether it was closed while no other exchange ended: the request may be the cause. A refused connection does not count. */
export function isClosedAlone(exchange: Exchange): boolean {
  const { after, ended, end } = exchange;
  return isClosed(exchange) && ended === after + 1 && end.detail?.includes('ECONNREFUSED') !== true;
}
