import { isOnClient } from '../requirements/claimed.ts';
import { causeParts } from '../requirements/refusals.ts';
import type { Judgement, RequirementVerdict } from '../verdict/verdict.ts';
import { rejectionsOf } from './covering-entries.ts';

/** Returns a filter for entries of the side that was judged, service or client. */
export function ofJudgedSide({
  requirements,
}: Pick<Judgement, 'requirements'>): (entry: { readonly id: string }) => boolean {
  const sides = new Set(requirements.map(({ id }) => isOnClient(id)));
  return ({ id }) => sides.has(isOnClient(id));
}

export function leftAlone(
  { requirements }: Judgement,
  telling: readonly RequirementVerdict['verdict'][],
): (entry: { readonly id: string }) => boolean {
  const verdicts = new Map(requirements.map(({ id, verdict }) => [id, verdict]));
  const silent = new Set(
    requirements.flatMap((one) => (telling.includes(one.verdict) ? [] : (rejectionsOf(one) ?? []))),
  );
  const isOfSide = ofJudgedSide({ requirements });
  return ({ id }) => {
    if (!isOfSide({ id }) || silent.has(id)) return true;
    const verdict = verdicts.get(causeParts(id)?.requirement ?? id);
    return verdict !== undefined && !telling.includes(verdict);
  };
}
