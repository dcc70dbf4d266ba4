import { type ClaimedNames, parseClaims } from '../../exchange/claims.ts';
import type { RefusedFamilies } from '../../exchange/key-refusal.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { type FamilyName, families, operations } from '../../schemas/index.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import type { CallInput } from '../scenario/scenario.ts';
import { findOffer, probeEach } from './offers.ts';
import type { PreflightClient } from './preflight-client.ts';

export type Claims = TraceHeader['claims'];

export interface FoundClaims extends Claims {
  /** Families that could not be decided because the target refused the key; absent if none, or without probes. */
  readonly refused?: RefusedFamilies;
  /** Families that are not claimed because their requests always got 429; absent if there are none. */
  readonly limited?: readonly string[];
}

/** Families that the specification describes in one version only, but services serve in both. */
const FAMILIES_IN_BOTH_VERSIONS: ReadonlySet<string> = new Set(['threads', 'messages', 'runs', 'run-steps']);

const VERSION_PROBES: readonly (readonly [operation: string, input: CallInput])[] = [
  ['listAssistants', { query: { limit: 1 } }],
  ['retrieveThread', { path: { thread_id: 'assay-no-such-id' } }],
  ['listMessages', { path: { thread_id: 'assay-no-such-id' } }],
];

/**
 * Resolves the claim of a run. `auto` sends a few cheap requests per family, which create nothing, and compares the
 * responses with the response to an unknown path. Families probed by a malformed request, which a service may not
 * survive, come last, one at a time; it is sent only if no valid request has shown that the family is offered. A
 * family that cannot be decided, because the target rejects the key, is claimed, so that no run passes without it;
 * `refused` lists it.
 */
export async function resolveClaims(
  claim: RunConfiguration['claim'],
  preflight: PreflightClient,
): Promise<FoundClaims> {
  if (claim === 'all') return { families: families(), how: 'default' };
  if (claim !== 'auto') return { ...(await addServedVersion(parseClaims(claim), preflight)), how: 'given' };
  const version = await findServedVersion(preflight);
  const offers = await probeEach(families(), async (family) =>
    isOfOtherVersion(family, version) ? 'missing' : findOffer(family, preflight, version),
  );
  const results = families().map((family, i) => ({ family, offer: offers[i] ?? 'missing' }));
  const missing = new Set(results.flatMap(({ family, offer }) => (offer === 'missing' ? [family] : [])));
  const reachable = results.filter(({ family }) => !findOwners(family).some((owner) => missing.has(owner)));
  const offered = reachable
    .filter(({ offer }) => offer !== 'missing' && offer !== 'limited')
    .map(({ family }) => family);
  const limited = reachable.filter(({ offer }) => offer === 'limited').map(({ family }) => family);
  const undecided = reachable.flatMap(({ family, offer }) =>
    typeof offer === 'number' ? [{ family, status: offer }] : [],
  );
  const [first] = undecided;
  return {
    families: offered,
    ...(version !== null && { version }),
    how: 'auto',
    ...(limited.length > 0 && { limited }),
    ...(first !== undefined && {
      refused: { status: first.status, families: undecided.map(({ family }) => family) },
    }),
  };
}

type Version = NonNullable<Claims['version']>;

async function addServedVersion(claims: ClaimedNames, preflight: PreflightClient): Promise<ClaimedNames> {
  if (!claims.families.some((family) => FAMILIES_IN_BOTH_VERSIONS.has(family))) return claims;
  const version = await findServedVersion(preflight);
  const claimsOther = claims.families.some((family) => isOfOtherVersion(family, version));
  return version === null || claimsOther ? claims : { ...claims, version };
}

function isOfOtherVersion(family: string, version: Version | null): boolean {
  const onlyVersion = findOnlyVersion(family);
  return version !== null && onlyVersion !== null && onlyVersion !== version;
}

function findOnlyVersion(family: string): Version | null {
  if (FAMILIES_IN_BOTH_VERSIONS.has(family)) return null;
  const variants = operations().flatMap((operation) =>
    operation.variants.filter((variant) => variant.family === family),
  );
  const betas = new Set(variants.map(({ beta }) => beta));
  const [beta] = betas;
  if (beta == null || betas.size > 1) return null;
  return beta === 'assistants=v1' ? 'v1' : 'v2';
}

async function findServedVersion(preflight: PreflightClient): Promise<Version | null> {
  const servedVersions = await Promise.all(
    VERSION_PROBES.map(async ([operation, input]) => {
      const statuses = (['v1', 'v2'] as const).map(
        async (variant) => (await preflight.ask(operation, { ...input, variant })).response?.status,
      );
      const [statusOfV1, statusOfV2] = await Promise.all(statuses);
      const [servesV1, servesV2] = [isServed(statusOfV1, operation), isServed(statusOfV2, operation)];
      if (servesV1 && servesV2) return 'both';
      if (servesV2 && isRefused(statusOfV1)) return 'v2';
      return servesV1 && isRefused(statusOfV2) ? 'v1' : null;
    }),
  );
  const [version, ...others] = new Set(servedVersions.filter((shown) => shown !== null));
  return version === undefined || version === 'both' || others.length > 0 ? null : version;
}

function isServed(status: number | undefined, operation: string): boolean {
  return status === 200 || (status === 404 && operation !== 'listAssistants');
}

function isRefused(status = 0): boolean {
  return status >= 400 && status <= 499 && ![401, 403, 408, 429].includes(status);
}

/** Other families that create the first object in each path of a family: `vector-stores` for `vector-store-files`. */
function findOwners(family: FamilyName): readonly FamilyName[] {
  const requests = operations().flatMap(({ path, variants }) =>
    variants.filter((one) => one.counted && one.family === family).map(({ beta }) => ({ path, beta })),
  );
  if (requests.some(({ path }) => !path.includes('/{'))) return [];
  const roots = requests.map(({ path, beta }) => ({ root: path.slice(0, path.indexOf('/{')), beta }));
  const owners = roots.flatMap(({ root, beta }) =>
    operations()
      .filter(({ method, path }) => method === 'POST' && path === root)
      .flatMap(({ variants }) => variants.find((one) => one.beta === beta) ?? variants.slice(0, 1)),
  );
  return [...new Set(owners.map((one) => one.family))].filter((owner) => owner !== family);
}
