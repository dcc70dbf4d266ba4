import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';

/** The cost of traffic for its target. */
export interface Cost {
  /** Number of requests, including those without a response. */
  requests: number;
  /** Bytes of request and response bodies as transferred, before decoding. */
  bytes: number;
  /** Sum of `usage.total_tokens` over responses to creations; 0 if the target reports none. */
  tokens: number;
}

/** Adds the cost of other traffic. */
export function addCost(cost: Cost, { requests, bytes, tokens }: Readonly<Cost>): void {
  cost.requests += requests;
  cost.bytes += bytes;
  cost.tokens += tokens;
}

/** The cost of an exchange, whether or not it calls an operation. */
export function costOf(exchange: Exchange): Cost {
  const bytes = exchange.request.body.size + (exchange.response?.body.size ?? 0);
  return { requests: 1, bytes, tokens: reportedTokens(exchange, 'total_tokens') };
}

type UsageField = 'total_tokens' | 'completion_tokens';

/**
 * Tokens that the response to a creation reports; 0 if none. Retrieved objects repeat the usage of their creation,
 * so only POST counts. The last usage of a stream is the largest.
 */
export function reportedTokens({ request, response }: Exchange, field: UsageField): number {
  if (request.method !== 'POST' || response === null) return 0;
  const events = eventsOf(response)?.events ?? [];
  if (events.length === 0) return tokensOf(jsonContent(response), field);
  let most = 0;
  for (const { json } of events) most = Math.max(most, tokensOf(json?.value, field));
  return most;
}

function tokensOf(value: Json | undefined, field: UsageField): number {
  if (typeof value !== 'object' || value === null || !('usage' in value)) return 0;
  const { usage } = value;
  if (typeof usage !== 'object' || usage === null) return 0;
  const count: unknown = Reflect.get(usage, field);
  return typeof count === 'number' && count > 0 ? count : 0;
}
