// The exchanges of a report with their times.
import type { Exchange } from '../../exchange/exchange.ts';
import type { FailureContext } from './failure.ts';

/** Unix times in milliseconds. */
export interface TimedExchange {
  readonly exchange: Exchange;
  readonly from: number;
  readonly to: number;
}

/** If times are unknown, each exchange begins at 0. */
export function timedExchanges({
  exchange: lookUp,
  timeline,
}: Pick<FailureContext, 'exchange' | 'timeline'>): readonly TimedExchange[] {
  return Array.from({ length: timeline?.size ?? 0 }, (_, i) => `e${i + 1}`).flatMap((id) => {
    const exchange = lookUp(id);
    if (exchange === undefined) return [];
    // An exchange's own times are relative to its start.
    const from = timeline?.began(id) ?? 0;
    return [{ exchange, from, to: from + exchange.end.at }];
  });
}
