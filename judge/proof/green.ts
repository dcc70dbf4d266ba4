import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { Call } from '../call.ts';
import type { GreenTrace } from '../catalogue.ts';

export interface Trace {
  readonly header: TraceHeader;
  readonly items: readonly TraceItem[];
}

/** A trace as those see it who break it. `shown`: the rules that it shows evidence for and that are to be broken. */
export function greenTrace({ header, items }: Trace, shown: ReadonlySet<string>): GreenTrace {
  const exchanges = items.filter((item): item is Exchange => !isNote(item));
  const calls = exchanges.flatMap((exchange) => Call.of(exchange, header.betaHeader) ?? []);
  return {
    header,
    exchanges,
    shown,
    calls: (operations) => calls.filter(({ operation }) => operations.includes(operation.id)),
  };
}
