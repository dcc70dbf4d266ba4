import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { expectedShape } from '../schema/expected-shape.ts';
import type { Call } from '../trace/call.ts';

/** A 2xx of the form that is due: one with nothing in it, or of another kind, shows not that the request was understood. */
export function isCarriedOut(call: Call): boolean {
  const { response } = call.exchange;
  if (call.responseClass !== 'accepted' || response === null) return false;
  const shape = expectedShape(call);
  if (shape?.events != null) return (eventsOf(response)?.events.length ?? 0) > 0;
  if (shape?.schema == null) return response.body.size > 0 || call.variant?.body === null;
  return typeof decodedContent(response)?.json?.value === 'object';
}
