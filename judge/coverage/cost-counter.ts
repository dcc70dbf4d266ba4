// Counts the cost of a trace for the report: what the target was asked to do, whether or not anything was
// judged.
import type { Exchange } from '../../exchange/exchange.ts';
import { reportedTokens } from './usage.ts';

/** Cost of one part of the traffic. */
export interface CostPart {
  readonly requests: number;
  readonly bytes: number;
  readonly tokens: number;
}

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
  exchange(exchange: Exchange): void {
    this.requests += 1;
    this.bytes += exchange.request.body.size + (exchange.response?.body.size ?? 0);
    this.tokens += reportedTokens(exchange, 'total_tokens');
  }

  /** The content of a partial verdict. */
  part(): CostPart {
    return { requests: this.requests, bytes: this.bytes, tokens: this.tokens };
  }

  /** Adds what another part of the traffic cost. */
  absorb({ requests, bytes, tokens }: CostPart): void {
    this.requests += requests;
    this.bytes += bytes;
    this.tokens += tokens;
  }
}
