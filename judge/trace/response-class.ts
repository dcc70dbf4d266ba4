import type { Exchange } from '../../exchange/exchange.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { SseEvent } from '../../exchange/http/sse-reader.ts';

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

const CLASS_BY_STATUS: Readonly<Record<number, ResponseClass>> = {
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
  const classOfStatus = CLASS_BY_STATUS[status];
  if (classOfStatus !== undefined) return classOfStatus;
  if (status >= 500) return 'failed';
  if (status >= 400) return 'rejected';
  if (status < 200 || status >= 300) return 'unanswered';
  const first = eventsOf(response)?.events[0];
  return first !== undefined && isErrorEvent(first) ? 'rejected' : 'accepted';
}

/** Whether a call may have had an effect: false only if the response says that nothing was done. */
export function mayHaveSucceeded({ responseClass }: { readonly responseClass: ResponseClass }): boolean {
  return !['rejected', 'refused', 'absent'].includes(responseClass);
}

/** Null, for a request without a response, counts as well. */
export function isCapacityStatus(status: number | null): boolean {
  return status === null || CLASS_BY_STATUS[status] === 'capacity';
}

export function isRefusalStatus(status: number | null): boolean {
  return status !== null && CLASS_BY_STATUS[status] === 'refused';
}

export function isAbsentStatus(status: number | null): boolean {
  return status !== null && CLASS_BY_STATUS[status] === 'absent';
}

/** The specification leaves the shape of such an event open. */
export function isErrorEvent(event: SseEvent): boolean {
  if (event.event === 'error') return true;
  const data = event.json?.value;
  if (typeof data !== 'object' || data === null || Array.isArray(data) || 'object' in data) return false;
  return 'error' in data && data['error'] !== null;
}
