import type { Exchange } from '../../../exchange/exchange.ts';
import { isNote, type TraceItem } from '../../../exchange/trace.ts';

/** A change of a whole trace that no fair judge objects to. */
export interface EquivalentMutant {
  readonly name: string;
  readonly apply: (items: readonly TraceItem[]) => readonly TraceItem[];
  /** True where requirements rightly lose their evidence by it. */
  readonly blinds?: boolean;
}

/** A change of each exchange by itself. */
export function inEachExchange(name: string, change: (exchange: Exchange) => Exchange): EquivalentMutant {
  return { name, apply: (items) => items.map((item) => (isNote(item) ? item : change(item))) };
}
