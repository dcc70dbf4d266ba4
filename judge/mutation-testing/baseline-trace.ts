// The clean trace that mutation testing mutates. Its exchanges are parsed once and shared by all mutants.
import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import type { BaselineTrace } from '../requirements/catalogue.ts';
import { Call } from '../trace/call.ts';

/** A trace as read from a cassette. */
export interface RecordedTrace {
  readonly header: TraceHeader;
  readonly items: readonly TraceItem[];
}

/**
 * The trace as mutation operators see it. `proved`: the requirements that it has evidence for and that are to be
 * mutated.
 */
export function baselineTrace({ header, items }: RecordedTrace, proved: ReadonlySet<string>): BaselineTrace {
  const exchanges = items.filter((item): item is Exchange => !isNote(item));
  const calls = exchanges.flatMap((exchange) => Call.of(exchange, header.betaHeader) ?? []);
  return {
    header,
    exchanges,
    proved,
    calls: (operations) => calls.filter(({ operation }) => operations.includes(operation.id)),
  };
}
