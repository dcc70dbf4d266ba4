import type { Break } from '../../judge/requirement.ts';

/** One break after the other; null where none of them applies. */
export function inTurn(...breaks: readonly Break[]): Break {
  return (trace) => {
    let broken: ReturnType<Break> = null;
    for (const one of breaks) broken = one(broken ?? trace) ?? broken;
    return broken;
  };
}
