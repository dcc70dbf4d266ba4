import { causeParts } from '../acceptance/ids.ts';
import { isOnClient } from '../client/client-side.ts';
import type { Judgement, RequirementVerdict } from './verdict.ts';

/** Finds the entries of which a judgement shows nothing. `telling`: the verdicts that show something. */
export function leftAlone(
  { requirements }: Judgement,
  telling: readonly RequirementVerdict['verdict'][],
): (entry: { readonly id: string }) => boolean {
  const verdicts = new Map(requirements.map(({ id, verdict }) => [id, verdict]));
  const sides = new Set(requirements.map(({ id }) => isOnClient(id)));
  return ({ id }) => {
    if (!sides.has(isOnClient(id))) return true;
    const verdict = verdicts.get(causeParts(id)?.requirement ?? id);
    return verdict !== undefined && !telling.includes(verdict);
  };
}
