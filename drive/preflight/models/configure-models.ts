import type { Hint } from '../../../exchange/note.ts';
import type { RunConfiguration } from '../../configuration/configuration.ts';
import { type RoleName, roleNames, type Scenario } from '../../scenario/scenario.ts';
import { selectScenarios } from '../../scenario/select.ts';
import type { PreflightClient } from '../preflight-client.ts';
import { findModels } from './find-models.ts';
import { refuseUnknownModels, refuseUselessModel } from './given-models.ts';
import { unlistedModelsMessage } from './unlisted-models.ts';

/** A configuration with the models of the run, and hints on them. */
export interface ConfiguredModels {
  readonly configuration: RunConfiguration;
  readonly hints: readonly Hint[];
}

/**
 * Settles the models of a run before it begins: searches those that are not given, and refuses given ones that the target does
 * not know. Throws ConfigurationError for these.
 */
export async function configureModels(
  configuration: RunConfiguration,
  {
    scenarios,
    claimed,
    preflight,
  }: {
    readonly scenarios: readonly Scenario[];
    /** Names of families and operations. */
    readonly claimed: readonly string[];
    readonly preflight: PreflightClient;
  },
): Promise<ConfiguredModels> {
  // The embedded reference has a model for each role, and a target that does not answer cannot be asked.
  if (configuration.target.embedded || preflight.status === null) return { configuration, hints: [] };
  const needed = rolesOf(scenarios, configuration, claimed);
  const found = await findModels(configuration, needed, preflight);
  refuseUselessModel(configuration, found, preflight.models ?? []);
  const { models, hint } = found;
  const settled = { ...configuration, models };
  const used = { ...settled, models: given(settled, needed) };
  await refuseUnknownModels(used, preflight);
  const unlisted = unlistedModelsMessage(used, preflight.models);
  return { configuration: settled, hints: [hint, unlisted].filter((one) => one !== null) };
}

/** The roles of the scenarios that would run if every role had a model. */
function rolesOf(
  scenarios: readonly Scenario[],
  configuration: RunConfiguration,
  claimed: readonly string[],
): ReadonlySet<RoleName> {
  // The selection leaves out scenarios whose role has no model, so that every role gets one here.
  const models = Object.fromEntries(roleNames().map((role) => [role, 'any']));
  const { run } = selectScenarios(scenarios, { ...configuration, models }, claimed);
  return new Set(run.flatMap(({ roles }) => roles));
}

/** The models of needed roles. */
function given({ models }: RunConfiguration, needed: ReadonlySet<RoleName>): RunConfiguration['models'] {
  return Object.fromEntries(
    roleNames()
      .filter((role) => needed.has(role))
      .flatMap((role) => (models[role] === undefined ? [] : [[role, models[role]]])),
  );
}
