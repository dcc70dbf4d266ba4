import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { Call } from '../../judge/trace/call.ts';

export const MAX_MUTATED_REQUESTS = 3;
export const ERROR_BODY: Json = { error: { message: 'no' } };

export interface RecordedTrace {
  readonly header: TraceHeader;
  readonly items: readonly TraceItem[];
}

/** A trace without findings, from which mutants are made. Its exchanges are parsed once and shared by all mutants. */
export interface BaselineTrace {
  readonly header: TraceHeader;
  readonly exchanges: readonly Exchange[];
  /** Calls of the operations, in the order in which they ended. */
  calls(operations: readonly string[]): readonly Call[];
  /** Ids of the requirements to mutate. */
  readonly selected: ReadonlySet<string>;
}

/** A changed trace, reduced to the exchanges that concern its requirement. */
export interface Mutant {
  readonly requirement: string;
  /** One of the kinds that `mutationKindsOf` returns. */
  readonly kind: string;
  /** Unique among the mutants of a requirement. */
  readonly name: string;
  /** Null if the mutation applies to nothing in the trace. */
  readonly exchanges: readonly Exchange[] | null;
  /** The same mutation of a longer trace, in case this one is too short to show the violation. */
  readonly longer?: () => readonly Exchange[] | null;
}

export function baselineTrace(
  { header, items }: RecordedTrace,
  selected: ReadonlySet<string>,
  parse: (exchange: Exchange) => Call | null = (exchange) => Call.from(exchange, header.betaHeader),
): BaselineTrace {
  const exchanges = items.filter((item): item is Exchange => !isNote(item));
  const calls = exchanges.flatMap((exchange) => parse(exchange) ?? []);
  return {
    header,
    exchanges,
    selected,
    calls: (operations) => calls.filter(({ operation }) => operations.includes(operation.id)),
  };
}
