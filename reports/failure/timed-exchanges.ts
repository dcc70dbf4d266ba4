// The exchanges of a report with their times.
import type { Exchange } from '../../exchange/exchange.ts';
import type { FailureContext } from './failure.ts';

/** Unix times in milliseconds. */
export interface TimedExchange {
  readonly exchange: Exchange;
  readonly from: number;
  readonly to: number;
}

/** One at a time, as an exchange may be large. If times are unknown, each begins at 0. */
export function* timedExchanges({
  exchange: lookUp,
  timeline,
}: Pick<FailureContext, 'exchange' | 'timeline'>): Generator<TimedExchange> {
  for (let n = 1; n <= (timeline?.size ?? 0); n += 1) {
    const exchange = lookUp(`e${n}`);
    if (exchange === undefined) continue;
    // An exchange's own times are relative to its start.
    const from = timeline?.began(exchange.id) ?? 0;
    yield { exchange, from, to: from + exchange.end.at };
  }
}
