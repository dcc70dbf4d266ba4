// Composition of mutations, for violations that need several edits of one trace.
import type { Mutation } from '../vocabulary/types.ts';

/** One mutation after the other; null where none of them applies. */
export function inTurn(...mutations: readonly Mutation[]): Mutation {
  return (trace) => {
    let changed: ReturnType<Mutation> = null;
    for (const one of mutations) changed = one(changed ?? trace) ?? changed;
    return changed;
  };
}
