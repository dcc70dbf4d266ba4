import { createRequire } from 'node:module';
import type { CostClass } from '../../schemas/index.ts';

/** A named claim for one common kind of server, with the reason for each part. */
export interface ClaimProfile {
  readonly name: string;
  readonly says: string;
  readonly claims: readonly { readonly name: string; readonly reason: string }[];
  /** Cost classes that a run must allow in addition to the default ones to exercise all operations of the profile. */
  readonly allow: readonly CostClass[];
}

/** The profiles that `--claim` accepts in addition to families and operations; `assay list --profiles` prints them. */
export const CLAIM_PROFILES = createRequire(import.meta.url)(
  '#drive/configuration/profiles.json',
) as readonly ClaimProfile[]; // as: cli/claims.slow.test.ts runs each of them

export function expandProfiles(names: readonly string[]): readonly string[] {
  const expand = (name: string) =>
    CLAIM_PROFILES.find((profile) => profile.name === name)?.claims.map((claim) => claim.name) ?? [name];
  return [...new Set(names.flatMap(expand))];
}
