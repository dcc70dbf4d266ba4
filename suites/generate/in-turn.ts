import type { Mutation } from '../../judge/requirements/requirement.ts';

/** One break after the other; null where none of them applies. */
export function inTurn(...mutations: readonly Mutation[]): Mutation {
  return (trace) => {
    let broken: ReturnType<Mutation> = null;
    for (const one of mutations) broken = one(broken ?? trace) ?? broken;
    return broken;
  };
}
