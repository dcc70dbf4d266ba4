import { type FamilyName, families, operation } from '../schemas/index.ts';

/** What a target claims to offer: families as a whole, and single operations of others. */
export interface ClaimedNames {
  readonly families: readonly string[];
  /** Ids of operations; absent where only families are claimed, as in cassettes of version 0.1 or earlier. */
  readonly operations?: readonly string[];
}

/** Families whose question got the 401 or 403 that an unknown path gets as well: whether the target offers them is not known. */
export interface RefusedQuestions {
  readonly status: number;
  readonly families: readonly FamilyName[];
}

/** Refused questions, and the variable whose key was sent with them, or is not set. */
export interface RefusedKey extends RefusedQuestions {
  readonly keyVariable: string;
  readonly key: 'sent' | 'none';
}

/** Whether a status says that the key is missing, refused, or without the right (1 Errors). */
export function isKeyRefusal(status: number | null | undefined): boolean {
  return status === 401 || status === 403;
}

/** Sorts names into families and operations, as a trace header stores them. Names that are neither count as operations. */
export function claimsNamed(names: readonly string[]): ClaimedNames {
  const known: readonly string[] = families();
  const single = names.filter((name) => !known.includes(name));
  const whole = names.filter((name) => known.includes(name));
  return { families: whole, ...(single.length > 0 && { operations: single }) };
}

/** The names as `--claim` takes them, families first. */
export function claimedNames({ families: whole, operations = [] }: ClaimedNames): readonly string[] {
  return [...whole, ...operations];
}

/** Whether an operation is claimed by its own name, or with one of its families (or the given one). */
export function claimsOperation(claims: ClaimedNames, id: string, family?: string): boolean {
  if (claims.operations?.includes(id)) return true;
  if (family !== undefined) return claims.families.includes(family);
  return operation(id).variants.some((variant) => claims.families.includes(variant.family));
}
