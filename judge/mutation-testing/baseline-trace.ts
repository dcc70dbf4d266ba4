import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import type { BaselineTrace } from '../requirements/catalogue.ts';
import { Call } from '../trace/call.ts';

export interface RecordedTrace {
  readonly header: TraceHeader;
  readonly items: readonly TraceItem[];
}

/** A trace as those see it who break it. `shown`: the rules that it shows evidence for and that are to be broken. */
export function baselineTrace({ header, items }: RecordedTrace, shown: ReadonlySet<string>): BaselineTrace {
  const exchanges = items.filter((item): item is Exchange => !isNote(item));
  const calls = exchanges.flatMap((exchange) => Call.of(exchange, header.betaHeader) ?? []);
  return {
    header,
    exchanges,
    shown,
    calls: (operations) => calls.filter(({ operation }) => operations.includes(operation.id)),
  };
}
