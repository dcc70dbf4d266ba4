import type { HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { isJsonObject } from '../../schemas/json.ts';

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

/** A member of a JSON object; undefined for any other value. */
function field(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
