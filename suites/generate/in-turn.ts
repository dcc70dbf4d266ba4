import type { Mutation } from '../vocabulary/types.ts';

/** Applies mutations one after the other; null if none applies. */
export function inTurn(...mutations: readonly Mutation[]): Mutation {
  return (trace) => {
    let changed: ReturnType<Mutation> = null;
    for (const one of mutations) changed = one(changed ?? trace) ?? changed;
    return changed;
  };
}
