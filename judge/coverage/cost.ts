import type { Exchange } from '../../exchange/exchange.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { numberAt } from '../trace/json.ts';

export interface Cost {
  /** Number of requests, including those without a response. */
  requests: number;
  /** Bytes of request and response bodies as transferred, before decoding. */
  bytes: number;
  /** Sum of `usage.total_tokens` over responses to POST requests; 0 if the target reports none. */
  tokens: number;
}

export function addCost(cost: Cost, { requests, bytes, tokens }: Readonly<Cost>): void {
  cost.requests += requests;
  cost.bytes += bytes;
  cost.tokens += tokens;
}

export function costOf(exchange: Exchange): Cost {
  const bytes = exchange.request.body.size + (exchange.response?.body.size ?? 0);
  return { requests: 1, bytes, tokens: reportedTokens(exchange, 'total_tokens') };
}

type UsageField = 'total_tokens' | 'completion_tokens';

/** 0 without a reported usage, and for methods other than POST, because a GET repeats the usage of a creation. */
export function reportedTokens({ request, response }: Exchange, field: UsageField): number {
  if (request.method !== 'POST' || response === null) return 0;
  const events = eventsOf(response)?.events ?? [];
  const values = events.length === 0 ? [jsonContent(response)] : events.map(({ json }) => json?.value);
  return values.reduce<number>((most, value) => Math.max(most, numberAt(value, 'usage', field) ?? 0), 0);
}
