import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';

/** A change of a whole trace that breaks nothing that the specification states. */
export interface EquivalentMutant {
  /** Shown in reports. */
  readonly name: string;
  /** Returns the same items, in the same positions, where nothing applies. */
  readonly apply: (items: readonly TraceItem[]) => readonly TraceItem[];
  /**
   * True if requirements may lose their evidence by the change. A verdict may then become untested, but never
   * fail.
   */
  readonly blinds?: boolean;
  /** Public report of a service that answered like this: `owner/repository#number` of an issue or a pull request. */
  readonly filed?: string;
}

/** A change of each exchange independently of the others. */
export function inEachExchange(name: string, change: (exchange: Exchange) => Exchange): EquivalentMutant {
  return { name, apply: (items) => items.map((item) => (isNote(item) ? item : change(item))) };
}
