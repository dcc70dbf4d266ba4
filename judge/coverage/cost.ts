import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';

export interface CostPart {
  /** Number of requests, including those without a response. */
  readonly requests: number;
  /** Bytes of request and response bodies as transferred, before decoding. */
  readonly bytes: number;
  /** Sum of `usage.total_tokens` over responses to creations; 0 if the target reports none. */
  readonly tokens: number;
}

/** Cost of a trace: requests sent, bytes of bodies in both directions, tokens that the target reports as used. */
export class CostCounter {
  /** Includes requests without a response. */
  requests = 0;
  /** As transferred, before decoding. */
  bytes = 0;
  /** Sum of `usage.total_tokens` over responses to creations. */
  tokens = 0;

  /** Adds an exchange, whether or not it calls an operation. */
  exchange(exchange: Exchange): void {
    this.requests += 1;
    this.bytes += exchange.request.body.size + (exchange.response?.body.size ?? 0);
    this.tokens += reportedTokens(exchange, 'total_tokens');
  }

  /** Returns the totals so far. */
  part(): CostPart {
    return { requests: this.requests, bytes: this.bytes, tokens: this.tokens };
  }

  /** Adds the totals of another part of the traffic. */
  absorb({ requests, bytes, tokens }: CostPart): void {
    this.requests += requests;
    this.bytes += bytes;
    this.tokens += tokens;
  }
}

export type UsageField = 'total_tokens' | 'completion_tokens';

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
