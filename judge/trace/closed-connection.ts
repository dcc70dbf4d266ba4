import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { isCutShort } from '../../exchange/http/content.ts';
import { firstHeader } from '../../exchange/http/headers.ts';

/** A service is assumed to read a body of at most this size, in bytes, before it refuses it for its length. */
const READ_BEFORE_REFUSAL = 64 * 1024;
/** Maximum number of bytes that may wait unread in buffers of the connection and of proxies after they were sent. */
const MAX_BUFFERED = 64 * 1024 * 1024;

/** Whether the connection failed before a status line arrived; includes connections that were refused. */
export function isClosed({ response, end }: Exchange): boolean {
  return response === null && end.how === 'upstream-reset';
}

/**
 * Whether a service that refuses a request for its length may close the connection before it has read the body. Its
 * response is then often lost, even if all bytes were sent: they may wait in buffers. `limit`: the stated size in
 * bytes, if any. A request of known length that was sent whole, with more bytes beyond the limit than buffers hold,
 * was read, so the service owes a response.
 */
export function mayStayUnread(request: HttpRequest, limit = Number.POSITIVE_INFINITY): boolean {
  const { headers, body } = request;
  const length = firstHeader(headers, 'content-length');
  if (length !== null && body.size - limit > MAX_BUFFERED && !isCutShort(request)) return false;
  return Math.max(Number(length ?? 0), body.size) > READ_BEFORE_REFUSAL;
}

/** Whether the connection was closed, not refused, while no other exchange ended: the request may be the cause. */
export function isClosedAlone(exchange: Exchange): boolean {
  const { after, ended, end } = exchange;
  return isClosed(exchange) && ended === after + 1 && end.detail?.includes('ECONNREFUSED') !== true;
}
