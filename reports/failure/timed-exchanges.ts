import type { Exchange } from '../../exchange/exchange.ts';
import type { FailureContext } from './failure.ts';

export interface TimedExchange {
  readonly exchange: Exchange;
  /** Unix time in milliseconds at which the request began. */
  readonly from: number;
  readonly to: number;
}

/** Yields the exchanges one at a time, because each may be large. If times are unknown, they all begin at 0. */
export function* timedExchanges({
  exchange: lookUp,
  timeline,
}: Pick<FailureContext, 'exchange' | 'timeline'>): Generator<TimedExchange> {
  for (let n = 1; n <= (timeline?.size ?? 0); n += 1) {
    const exchange = lookUp(`e${n}`);
    if (exchange === undefined) continue;
    const from = timeline?.began(exchange.id) ?? 0;
    yield { exchange, from, to: from + exchange.end.at };
  }
}
