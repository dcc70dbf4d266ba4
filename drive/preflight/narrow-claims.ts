import { parseClaims } from '../../exchange/claims.ts';
import type { RefusedKey } from '../../exchange/key-refusal.ts';
import { type CostClass, operations } from '../../schemas/index.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Claims, FoundClaims } from './claims.ts';
import { findOperationOffer, type OperationOffer } from './offers.ts';
import type { PreflightClient } from './preflight-client.ts';

export interface NarrowedClaims {
  /** Families that are judged whole, and the judged operations of the others. */
  readonly claims: Claims;
  /** Operations that scenarios exercise only at a cost that is not allowed, with the missing cost classes. */
  readonly unaffordable: readonly UnaffordableOperation[];
  readonly refused: RefusedKey | null;
  /** Families and single operations that are not claimed because the target responded with 429. */
  readonly limited: readonly string[];
}

interface UnaffordableOperation {
  readonly operation: string;
  readonly allow: readonly CostClass[];
}

interface NarrowingContext {
  readonly configuration: RunConfiguration;
  readonly scenarios: readonly Scenario[];
  readonly preflight: PreflightClient;
}

/**
 * Narrows families to the operations that the target offers and the allowed costs permit, so that a server that lists
 * models but retrieves none is judged only on what it has. A family that loses no operation stays whole.
 */
export async function narrowClaims(found: FoundClaims, context: NarrowingContext): Promise<NarrowedClaims> {
  const parts = await Promise.all(found.families.map((family) => narrowFamily(family, context)));
  const { version, how, limited = [], refused } = found;
  const { apiKey, keyVariable } = context.configuration;
  const key = apiKey === null ? 'none' : 'sent';
  return {
    claims: {
      ...parseClaims(parts.flatMap(({ names }) => names)),
      ...(version !== undefined && { version }),
      how,
    },
    unaffordable: parts.flatMap(({ unaffordable }) => unaffordable),
    limited: [...limited, ...parts.flatMap((part) => part.limited)],
    refused: refused === undefined ? null : { ...refused, keyVariable, key },
  };
}

interface FamilyPart extends Pick<NarrowedClaims, 'unaffordable' | 'limited'> {
  readonly names: readonly string[];
}

async function narrowFamily(
  family: string,
  { configuration, scenarios, preflight }: NarrowingContext,
): Promise<FamilyPart> {
  const members = operations().filter(({ variants }) => variants.some((one) => one.family === family));
  // An operation with two variants belongs to two families, so claiming it by name would claim a part of both.
  if (members.some(({ variants }) => variants.length > 1))
    return { names: [family], unaffordable: [], limited: [] };
  const unaffordable = members.flatMap(({ id }) => {
    const allow = missingCosts(id, scenarios, configuration.allow);
    return allow === null ? [] : [{ operation: id, allow }];
  });
  const affordable = members.filter(({ id }) => !unaffordable.some(({ operation }) => operation === id));
  const offers = await Promise.all(affordable.map((operation) => findOperationOffer(operation, preflight)));
  const idsWith = (offer: OperationOffer) =>
    affordable.filter((_, i) => offers[i] === offer).map(({ id }) => id);
  const offered = idsWith('offered');
  return {
    names: offered.length === members.length ? [family] : offered,
    unaffordable,
    limited: idsWith('limited'),
  };
}

function missingCosts(
  operation: string,
  scenarios: readonly Scenario[],
  allowed: readonly CostClass[],
): readonly CostClass[] | null {
  const needs = scenarios
    .filter(({ operations: exercised }) => exercised.includes(operation))
    .map(({ cost }) => cost.filter((needed) => needed !== 'free' && !allowed.includes(needed)))
    .toSorted((a, b) => a.length - b.length);
  const [least] = needs;
  return least === undefined || least.length === 0 ? null : least;
}
