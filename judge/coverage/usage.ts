// Reads the token counts that a target reports in its responses.
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';

/** A member of `usage`, in tokens. */
export type UsageField = 'total_tokens' | 'completion_tokens';

/**
 * Tokens that the response to a creation reports; 0 where it has none. A retrieved object repeats the usage of its creation, so
 * only POST counts. The last usage of a stream is the largest.
 */
export function reportedTokens({ request, response }: Exchange, field: UsageField): number {
  if (request.method !== 'POST' || response === null) return 0;
  const streamed = eventsOf(response)?.events.map(({ json }) => tokensOf(json?.value, field)) ?? [];
  return streamed.length > 0 ? Math.max(...streamed) : tokensOf(response.body.json?.value, field);
}

/** The count in a response or an event. A value that is not a positive number is ignored. */
function tokensOf(value: Json | undefined, field: UsageField): number {
  if (typeof value !== 'object' || value === null || !('usage' in value)) return 0;
  const { usage } = value;
  if (typeof usage !== 'object' || usage === null) return 0;
  const count: unknown = Reflect.get(usage, field);
  return typeof count === 'number' && count > 0 ? count : 0;
}
