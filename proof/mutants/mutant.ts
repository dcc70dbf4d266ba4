import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { Call } from '../../judge/trace/call.ts';

/** A trace as read from a cassette. */
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
  /** Requirements with evidence in this trace, for which mutants are wanted. */
  readonly proved: ReadonlySet<string>;
}

/** A changed trace, reduced to the exchanges that concern its requirement. */
export interface Mutant {
  /** Id of the requirement that has to fail. */
  readonly requirement: string;
  /** One of the kinds of `mutationKindsOf`. */
  readonly kind: string;
  /** Describes the mutation; unique among the mutants of a requirement. */
  readonly name: string;
  /** Null if the mutation applies to nothing in the trace. */
  readonly exchanges: readonly Exchange[] | null;
  /** The same mutation of a longer trace, for when this one is too short to show anything. */
  readonly longer?: () => readonly Exchange[] | null;
}

/** The trace as mutations see it. `proved`: the requirements with evidence in it that are to be mutated. */
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
