import type { FamilyName } from '../schemas/index.ts';

/** Families whose operations got the 401 or 403 of an unknown path, so the target may or may not offer them. */
export interface RefusedFamilies {
  readonly status: number;
  readonly families: readonly FamilyName[];
}

/** The key that a target refused. */
export interface KeyFacts {
  /** Environment variable that contained the key, or that must be set if no key was configured. */
  readonly keyVariable: string;
  /** `none` if no key was configured. */
  readonly key: 'sent' | 'none';
}

export interface RefusedKey extends RefusedFamilies, KeyFacts {}

/** Whether a status means that the key is missing, rejected or lacks permission (specification, section 1, Errors). */
export function isKeyRefusal(status: number | null | undefined): status is 401 | 403 {
  return status === 401 || status === 403;
}
