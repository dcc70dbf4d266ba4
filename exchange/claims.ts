import { families, operation } from '../schemas/index.ts';

/** The families that a target claims to offer as a whole, and the operations that it claims one by one. */
export interface ClaimedNames {
  readonly families: readonly string[];
  /** Absent if only families are claimed. */
  readonly operations?: readonly string[];
  /** The version of the assistants API that the target serves, if it refuses the header of the other version. */
  readonly version?: 'v1' | 'v2';
}

export function parseClaims(names: readonly string[]): ClaimedNames {
  const familyNames: readonly string[] = families();
  const operations = names.filter((name) => !familyNames.includes(name));
  const claimed = { families: names.filter((name) => familyNames.includes(name)) };
  return operations.length > 0 ? { ...claimed, operations } : claimed;
}

export function claimedNames(claims: ClaimedNames): readonly string[] {
  return [...claims.families, ...(claims.operations ?? [])];
}

/** Whether an operation is claimed by its id or through `family`; without `family`, through that of any variant. */
export function claimsOperation(claims: ClaimedNames, id: string, family?: string): boolean {
  if (claims.operations?.includes(id)) return true;
  if (family !== undefined) return claims.families.includes(family);
  return operation(id).variants.some((variant) => claims.families.includes(variant.family));
}
