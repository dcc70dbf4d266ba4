import { type FamilyName, families, operation } from '../schemas/index.ts';

/** What a target claims to offer: whole families, and single operations of other families. */
export interface ClaimedNames {
  /** Families whose operations are all claimed. */
  readonly families: readonly string[];
  /** Absent if only families are claimed, as in cassettes of version 0.1 and earlier. */
  readonly operations?: readonly string[];
  /** The version of the assistants API that the target serves, if it refuses the header of the other version. */
  readonly version?: 'v1' | 'v2';
}

/** Families whose operations got the 401 or 403 of an unknown path, so the target may or may not offer them. */
export interface RefusedFamilies {
  /** The status of these responses: 401 or 403. */
  readonly status: number;
  /** Families for which it is unknown whether the target offers them. */
  readonly families: readonly FamilyName[];
}

export interface RefusedKey extends RefusedFamilies {
  /** Environment variable that contained the key, or that must be set if no key was configured. */
  readonly keyVariable: string;
  /** `none` if no key was configured. */
  readonly key: 'sent' | 'none';
}

/** Whether a status means that the key is missing, rejected or lacks permission (specification, section 1, Errors). */
export function isKeyRefusal(status: number | null | undefined): boolean {
  return status === 401 || status === 403;
}

/** Sorts names into families and operations for a trace header. Unknown names count as operations. */
export function parseClaims(names: readonly string[]): ClaimedNames {
  const known: readonly string[] = families();
  const operations = names.filter((name) => !known.includes(name));
  const claimed = { families: names.filter((name) => known.includes(name)) };
  return operations.length > 0 ? { ...claimed, operations } : claimed;
}

/** The names in the form that `--claim` takes, families first. */
export function claimedNames(claims: ClaimedNames): readonly string[] {
  return [...claims.families, ...(claims.operations ?? [])];
}

/** Whether an operation is claimed by its id or through `family`; without `family`, through that of any variant. */
export function claimsOperation(claims: ClaimedNames, id: string, family?: string): boolean {
  if (claims.operations?.includes(id)) return true;
  if (family !== undefined) return claims.families.includes(family);
  return operation(id).variants.some((variant) => claims.families.includes(variant.family));
}
