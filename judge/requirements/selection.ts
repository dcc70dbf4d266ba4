import type { ClaimedNames } from '../../exchange/claims.ts';
import { matchesAnyGlob } from '../../exchange/glob.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { Requirement } from './catalogue.ts';

/** Whether a family or operation of the requirement is claimed; of a behaviour, only the first operation counts. */
export function isClaimed(
  { kind, families, operations }: Pick<Requirement, 'kind' | 'families' | 'operations'>,
  claims: ClaimedNames,
): boolean {
  if (families.some((family) => claims.families.includes(family))) return true;
  const ids = kind === 'behaviour' ? operations.slice(0, 1) : operations;
  return ids.some((id) => claims.operations?.includes(id) === true);
}

export function isFiltered(requirement: Pick<Requirement, 'id'>, filters: TraceHeader['filters']): boolean {
  return excludingOption(requirement, filters) !== null;
}

/** The option that excludes a requirement, `--only` if both do; null if neither does. */
export function excludingOption(
  { id }: Pick<Requirement, 'id'>,
  { only, skip }: TraceHeader['filters'],
): 'only' | 'skip' | null {
  if (only.length > 0 && !matchesAnyGlob(only, id)) return 'only';
  return matchesAnyGlob(skip, id) ? 'skip' : null;
}

export function isClientRequirement(id: string): boolean {
  return id.startsWith('client.') || id.startsWith('client:');
}
