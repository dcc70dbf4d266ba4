// Counts the cost of a trace for the report: what the target was asked to do, whether or not anything was
// judged.
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';

/**
 * Cost of a trace: requests sent, bytes of bodies in both directions, tokens that the target reports as used.
 */
export class CostCounter {
  /** Every exchange, also those that were not answered. */
  requests = 0;
  /** Request and response bodies as transferred, before content codings are undone. */
  bytes = 0;
  /** Sum of `usage.total_tokens` of the responses that created something. */
  tokens = 0;

  /** Adds one exchange. */
  exchange({ request, response }: Exchange): void {
    this.requests += 1;
    this.bytes += request.body.size + (response?.body.size ?? 0);
    // A retrieved object repeats the usage of its creation, so only POST counts. The last usage of a stream is the largest.
    if (request.method !== 'POST' || response === null) return;
    const streamed = eventsOf(response)?.events.map(({ json }) => used(json?.value)) ?? [];
    this.tokens += streamed.length > 0 ? Math.max(...streamed) : used(response.body.json?.value);
  }
}

/**
 * `usage.total_tokens` of a response or an event; 0 where it has none. Usage that is not a positive number is
 * ignored.
 */
function used(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null || !('usage' in value)) return 0;
  const { usage } = value;
  if (typeof usage !== 'object' || usage === null || !('total_tokens' in usage)) return 0;
  return typeof usage['total_tokens'] === 'number' && usage['total_tokens'] > 0 ? usage['total_tokens'] : 0;
}
