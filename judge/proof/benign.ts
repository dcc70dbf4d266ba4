import type { TraceItem } from '../../exchange/trace.ts';

/** A change of a whole trace that no fair judge objects to. */
export interface Benign {
  readonly name: string;
  readonly apply: (items: readonly TraceItem[]) => readonly TraceItem[];
  /** Requirements that lose their evidence by it, rightly. */
  readonly hides?: (requirement: string) => boolean;
}
