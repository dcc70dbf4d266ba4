import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';

/** What a trace has cost: requests sent, bytes of bodies both ways, tokens that the target says it used. */
export class CostCounter {
  requests = 0;
  bytes = 0;
  tokens = 0;

  exchange({ request, response }: Exchange): void {
    this.requests += 1;
    this.bytes += request.body.size + (response?.body.size ?? 0);
    // Objects that are read again tell the same usage again, so only what creates counts.
    if (request.method !== 'POST' || response === null) return;
    const streamed = eventsOf(response)?.events.map(({ json }) => used(json?.value)) ?? [];
    this.tokens += streamed.length > 0 ? Math.max(...streamed) : used(response.body.json?.value);
  }
}

function used(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null || !('usage' in value)) return 0;
  const { usage } = value;
  if (typeof usage !== 'object' || usage === null || !('total_tokens' in usage)) return 0;
  return typeof usage['total_tokens'] === 'number' && usage['total_tokens'] > 0 ? usage['total_tokens'] : 0;
}
