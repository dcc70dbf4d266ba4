import { decoded } from '../../exchange/content.ts';
import { events } from '../../exchange/events.ts';
import type { Call } from '../call.ts';
import { dueShape } from '../schema/due.ts';

/** A 2xx of the form that is due: one with nothing in it, or of another kind, shows not that the request was understood. */
export function isCarriedOut(call: Call): boolean {
  const { response } = call.exchange;
  if (call.outcome !== 'accepted' || response === null) return false;
  const shape = dueShape(call);
  if (shape?.events != null) return (events(response)?.events.length ?? 0) > 0;
  if (shape?.schema == null) return response.body.size > 0 || call.variant?.body === null;
  return typeof decoded(response)?.json?.value === 'object';
}
