import { claimsNamed, type RefusedKey } from '../../exchange/claims.ts';
import { type CostClass, type Operation, operations } from '../../schemas/index.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type Claims, type FoundClaims, showsMissing } from './claims.ts';

import type { PreflightClient } from './preflight-client.ts';

/** What a run judges of the families that were found. */
export interface NarrowedClaims {
  readonly claims: Claims;
  /** Operations that no scenario exercises at the allowed cost, with what would have to be allowed. */
  readonly unaffordable: readonly { readonly operation: string; readonly allow: readonly CostClass[] }[];
  /** Families of which the target hid whether it offers them; null where it hid none. */
  readonly refused: RefusedKey | null;
}

/** What decides which operations of a family are judged. */
interface Narrowing {
  readonly configuration: RunConfiguration;
  readonly scenarios: readonly Scenario[];
  readonly preflight: PreflightClient;
}

/**
 * Narrows families that were found by requests to the operations that the target offers and that the run can exercise, so that
 * a server that lists models and trains none is judged by what it has. A family stays whole where nothing speaks against it.
 */
export async function narrowClaims(found: FoundClaims, narrowing: Narrowing): Promise<NarrowedClaims> {
  const parts = await Promise.all(found.families.map((family) => partOf(family, narrowing)));
  const names = parts.flatMap(({ names }) => names);
  return {
    claims: { ...claimsNamed(names), how: found.how },
    unaffordable: parts.flatMap(({ unaffordable }) => unaffordable),
    refused: found.refused === undefined ? null : { ...found.refused, ...keyOf(narrowing.configuration) },
  };
}

function keyOf({ apiKey, keyVariable }: RunConfiguration): Pick<RefusedKey, 'keyVariable' | 'key'> {
  return { keyVariable, key: apiKey === null ? 'none' : 'sent' };
}

/** The name of a family, or those of its operations that stay. */
async function partOf(
  family: string,
  { configuration, scenarios, preflight }: Narrowing,
): Promise<Pick<NarrowedClaims, 'unaffordable'> & { readonly names: readonly string[] }> {
  const all = operations().filter(({ variants }) => variants.some((one) => one.family === family));
  // An operation with two variants belongs to two families, and its name would claim both.
  if (all.some(({ variants }) => variants.length > 1)) return { names: [family], unaffordable: [] };
  const unaffordable = all.flatMap(({ id }) => {
    const allow = missingCosts(id, scenarios, configuration.allow);
    return allow === null ? [] : [{ operation: id, allow }];
  });
  const affordable = all.filter(({ id }) => !unaffordable.some(({ operation }) => operation === id));
  const missing = await Promise.all(affordable.map((one) => isMissing(one, preflight)));
  const offered = affordable.filter((_, i) => missing[i] === false).map(({ id }) => id);
  return { names: offered.length === all.length ? [family] : offered, unaffordable };
}

/** Whether the target does not offer an operation of a family that it offers. Only reading requests are sent to find out. */
async function isMissing(operation: Operation, preflight: PreflightClient): Promise<boolean> {
  if (operation.method !== 'GET') return false;
  // A model that the target lists exists, so that the answer is about the operation.
  const model = operation.id === 'retrieveModel' ? preflight.models?.[0] : undefined;
  return showsMissing(operation, model === undefined ? null : { path: { model } }, preflight);
}

/** The cost classes that the cheapest scenario of an operation needs beyond the allowed ones; null where one is allowed. */
function missingCosts(
  operation: string,
  scenarios: readonly Scenario[],
  allowed: readonly CostClass[],
): readonly CostClass[] | null {
  const needs = scenarios
    .filter(({ operations: own }) => own.includes(operation))
    .map(({ cost }) => cost.filter((one) => one !== 'free' && !allowed.includes(one)))
    .toSorted((a, b) => a.length - b.length);
  const [least] = needs;
  return least === undefined || least.length === 0 ? null : least;
}
