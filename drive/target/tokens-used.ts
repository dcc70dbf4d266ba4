import type { HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';

/** Tokens that an answer says it used: `usage.total_tokens` of the body, or the most that one event of a stream names. */
export function tokensUsed(response: HttpResponse): number {
  // Few responses contain it, and most others are not parsed elsewhere.
  if (!response.body.text?.includes('usage')) return 0;
  const stream = eventsOf(response);
  if (stream === null) return total(response.body.json?.value);
  return stream.events.reduce((most, event) => Math.max(most, total(event.json?.value)), 0);
}

/** Only a positive number counts: a target may send anything in this place. */
function total(value: Json | undefined): number {
  const usage = field(value, 'usage');
  const tokens = field(usage, 'total_tokens');
  return typeof tokens === 'number' && tokens > 0 ? tokens : 0;
}

function field(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // as: what is neither null nor a list is an object with names; isArray does not narrow readonly lists away
  return (value as { readonly [name: string]: Json })[name];
}
