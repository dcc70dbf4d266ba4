import { createRequire } from 'node:module';
import type { CostClass } from '../../schemas/index.ts';

export interface ClaimProfile {
  readonly name: string;
  readonly says: string;
  readonly claims: readonly { readonly name: string; readonly reason: string }[];
  readonly allow: readonly CostClass[];
}

export const CLAIM_PROFILES = createRequire(import.meta.url)(
  '#drive/configuration/profiles.json',
) as readonly ClaimProfile[]; // as: cli/claims.slow.test.ts runs each of them

export function expandProfiles(names: readonly string[]): readonly string[] {
  const expand = (name: string) =>
    CLAIM_PROFILES.find((profile) => profile.name === name)?.claims.map((claim) => claim.name) ?? [name];
  return [...new Set(names.flatMap(expand))];
}
