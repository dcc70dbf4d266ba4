import { createHash } from 'node:crypto';
import { type ClaimedNames, claimsOperation, parseClaims } from '../../exchange/claims.ts';
import { matchesAnyGlob, matchesGlob } from '../../exchange/glob.ts';
import type { Skip } from '../../exchange/note.ts';
import { importModules } from '../../schemas/import-modules.ts';
import { extensions, operation } from '../../schemas/index.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import { isScenario, type Scenario } from '../scenario/scenario.ts';

export const suitesFolder = 'suites';

export async function discoverScenarios(folder: string): Promise<readonly Scenario[]> {
  const modules = await importModules(folder, /\.suite\.[jt]s$/);
  const exported = [...modules.values()].flatMap((module) => Object.values(module));
  const scenarios = [...exported, ...extensions().map(({ exports }) => exports)]
    .flat()
    .filter(isScenario)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  // Notes, `--scenario` and the ledger identify scenarios by name alone.
  const duplicate = scenarios.find((one, i) => one.name === scenarios[i + 1]?.name);
  if (duplicate !== undefined) throw new Error(`Two scenarios are named ${duplicate.name}.`);
  return scenarios;
}

export type SkippedScenario = { readonly scenario: string } & Skip;

export interface ScenarioSelection {
  readonly run: readonly Scenario[];
  readonly skipped: readonly SkippedScenario[];
}

export function selectScenarios(
  scenarios: readonly Scenario[],
  configuration: RunConfiguration,
  claimed: readonly string[],
): ScenarioSelection {
  const claims = parseClaims(claimed);
  const settings = { ...configuration, only: decidableGlobs(configuration.only, scenarios) };
  const run: Scenario[] = [];
  const skipped: SkippedScenario[] = [];
  for (const scenario of scenarios.filter((one) => isInShard(one.name, configuration.shard))) {
    const skip = reasonToSkip(scenario, settings, claims);
    if (skip === null) run.push(scenario);
    else skipped.push({ scenario: scenario.name, ...skip });
  }
  return { run, skipped };
}

function reasonToSkip(
  scenario: Scenario,
  configuration: RunConfiguration,
  claims: ClaimedNames,
): Skip | null {
  const { allow, models, apiKey, secondKey } = configuration;
  if (!isClaimed(scenario, claims)) return { reason: 'not-claimed', family: scenario.family };
  const filter = findSkippingFilter(scenario, configuration);
  if (filter !== null) return filter;
  const cost = scenario.cost.find((one) => one !== 'free' && !allow.includes(one));
  if (cost !== undefined) return { reason: 'not-allowed', cost };
  const role = scenario.roles.find((one) => models[one] === undefined);
  if (role !== undefined) return { reason: 'not-configured', missing: { what: 'model', role } };
  if (scenario.key === 'one' && apiKey === null)
    return { reason: 'not-configured', missing: { what: 'key' } };
  if (scenario.key === 'second' && secondKey === null)
    return { reason: 'not-configured', missing: { what: 'second-key' } };
  return null;
}

/**
 * Whether the claims include a scenario: its family, or one of its operations by name. In the second case the
 * operations that are not claimed may only read, because the target may be unable to remove what they create.
 */
function isClaimed({ family, operations }: Scenario, claims: ClaimedNames): boolean {
  if (claims.families.includes(family)) return true;
  if (!operations.some((id) => claims.operations?.includes(id))) return false;
  return operations.every((id) => claimsOperation(claims, id) || operation(id).method === 'GET');
}

/** The globs of `--only`; none if one matches nothing that a scenario shows or may show, so that all scenarios run. */
function decidableGlobs(only: readonly string[], scenarios: readonly Scenario[]): readonly string[] {
  const isKnown = (glob: string): boolean =>
    scenarios.some(({ shows }) => shows === null || [...shows].some((id) => matchesGlob(glob, id)));
  return only.every(isKnown) ? only : [];
}

function findSkippingFilter({ name, shows }: Scenario, configuration: RunConfiguration): Skip | null {
  const { only, skip, scenario } = configuration;
  const reason = 'filtered';
  if (scenario.length > 0)
    return matchesAnyGlob(scenario, name) ? null : { reason, option: 'scenario', globs: scenario };
  if (shows === null) return null;
  const ids = [...shows];
  if (only.length > 0 && !ids.some((id) => matchesAnyGlob(only, id)))
    return { reason, option: 'only', globs: only };
  const isSkipped = skip.length > 0 && ids.every((id) => matchesAnyGlob(skip, id));
  return isSkipped ? { reason, option: 'skip', globs: skip } : null;
}

/** A digest of the name decides, so that a new scenario does not move the others to other shards. */
function isInShard(name: string, shard: RunConfiguration['shard']): boolean {
  if (shard === null) return true;
  return createHash('sha256').update(name).digest().readUInt32BE(0) % shard.of === shard.index - 1;
}
