import type { ClaimedNames } from '../../schemas/claims.ts';
import type { Requirement } from './catalogue.ts';

/**
 * Whether a requirement is judged for these claims: one of its families is claimed, or the operation that it is about. That of a
 * behaviour is the first one; the others only complete its evidence, and a target that does not claim them is not blamed for them.
 */
export function isClaimed(
  { kind, families, operations }: Pick<Requirement, 'kind' | 'families' | 'operations'>,
  claims: ClaimedNames,
): boolean {
  if (families.some((family) => claims.families.includes(family))) return true;
  const subjects = kind === 'behaviour' ? operations.slice(0, 1) : operations;
  return subjects.some((id) => claims.operations?.includes(id) === true);
}
