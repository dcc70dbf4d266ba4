// Decides whether a 2xx means that a request was carried out.
import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { Operation } from '../../schemas/index.ts';
import { expectedShape } from '../schema/expected-shape.ts';
import type { Call } from '../trace/call.ts';

/**
 * True for a 2xx of the expected form. An empty body, or one of another kind, does not show that the request
 * was understood.
 */
export function isCarriedOut(call: Call): boolean {
  const { response } = call.exchange;
  if (call.responseClass !== 'accepted' || response === null) return false;
  const shape = expectedShape(call);
  if (shape?.events != null) return (eventsOf(response)?.events.length ?? 0) > 0;
  if (shape?.schema == null) return response.body.size > 0 || call.variant?.body === null;
  return typeof decodedContent(response)?.json?.value === 'object';
}

/** An object may end before it is cancelled, so a rejected cancellation is not a failure. */
export function mayComeTooLate({ path }: Operation): boolean {
  return path.endsWith('/cancel');
}
