import { isKeyRefusal } from '../../exchange/key-refusal.ts';
import type { Hint } from '../../exchange/note.ts';
import { editDistance, sortByDistance } from '../../schemas/nearest-names.ts';
import {
  ConfigurationError,
  type RunConfiguration,
  specifiedModels,
} from '../configuration/configuration.ts';
import { MODEL_ROLES, type RoleName, roleNames } from '../scenario/model-roles.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { IncomingResponse } from '../target/target.ts';
import { blamesModel, type FoundModels, findModels } from './model-search.ts';
import { isUnknownPath, type PreflightClient, responseShape } from './preflight-client.ts';
import { ROLE_SEARCHES } from './role-searches.ts';
import { selectScenarios } from './scenario-selection.ts';

/** The defaults of the specification, which are not the user's choice. */
const PRESET: Readonly<Record<string, string>> = specifiedModels;
const MAX_SUGGESTIONS = 3;
const MAX_LISTED_IN_HINT = 8;

export async function configureModels(
  configuration: RunConfiguration,
  scenarios: readonly Scenario[],
  claimed: readonly string[],
  preflight: PreflightClient,
): Promise<{ readonly configuration: RunConfiguration; readonly hints: readonly Hint[] }> {
  // The embedded reference has a model for each role, and a target that does not respond cannot be tried.
  if (configuration.target.embedded || preflight.status === null) return { configuration, hints: [] };
  const neededRoles = findNeededRoles(scenarios, configuration, claimed);
  const found = await findModels(configuration, neededRoles, preflight);
  refuseUselessModel(configuration, found, preflight.models ?? []);
  const { models, hint } = found;
  const neededModels = roleNames().flatMap((role) => {
    const id = neededRoles.has(role) ? models[role] : undefined;
    return id === undefined ? [] : [[role, id] as const];
  });
  const withNeededModels = { ...configuration, models: Object.fromEntries(neededModels) };
  await refuseUnknownModels(withNeededModels, preflight);
  const unlistedHint = unlistedModelsHint(withNeededModels, preflight.models);
  const { status } = preflight;
  const { keyVariable, apiKey } = configuration;
  const isKeyRefused = hint?.kind === 'models-found' && hint.total === 0 && isKeyRefusal(status);
  const key = apiKey === null ? 'none' : 'sent';
  const searchHint: Hint | null = isKeyRefused ? { kind: 'models-refused', status, keyVariable, key } : hint;
  const hints = [searchHint, unlistedHint].filter((candidate) => candidate !== null);
  return { configuration: { ...configuration, models }, hints };
}

function findNeededRoles(
  scenarios: readonly Scenario[],
  configuration: RunConfiguration,
  claimed: readonly string[],
): ReadonlySet<RoleName> {
  const models = Object.fromEntries(roleNames().map((role) => [role, 'any']));
  const { run } = selectScenarios(scenarios, { ...configuration, models }, claimed);
  return new Set(run.flatMap(({ roles, optionalRoles = [] }) => [...roles, ...optionalRoles]));
}

/**
 * Rejects with ConfigurationError if the target rejects the model of a built-in role. Only unlisted models are looked
 * up and, if not found, tried with a minimal request: a name may be an alias, and the target may list no models.
 */
async function refuseUnknownModels(
  { models, allow, modelSearch: { candidates } }: RunConfiguration,
  preflight: PreflightClient,
): Promise<void> {
  const listed = preflight.models ?? [];
  for (const role of MODEL_ROLES) {
    const id = models[role];
    if (id === undefined || PRESET[role] === id || listed.includes(id)) continue;
    const { cost, operation, input } = ROLE_SEARCHES[role === 'assistant' ? 'chat' : role];
    // A trial must not spend a cost class that the run may not spend.
    if (!allow.includes(cost)) continue;
    const retrieval = await preflight.ask('retrieveModel', { path: { model: id } });
    // A list may end after its first page, or leave out private models.
    if (retrieval.response?.status === 200) continue;
    const answer = await preflight.ask(operation, input(id));
    if (!blamesModel(answer, id) || (await isAbsentPath(answer, preflight))) continue;
    const given = candidates?.includes(id) ? id : `${role}=${id}`;
    throw new ConfigurationError(
      `--model ${given}: the target answers ${answer.response?.status} to a request with this model and does not list it. ` +
        `${listedModelsText(id, listed)} ` +
        `Without --model, models are found by trial; --model ${role}=none leaves the role out.`,
    );
  }
}

function refuseUselessModel(
  { modelSearch: { candidates, roles } }: RunConfiguration,
  { models, hint }: FoundModels,
  listed: readonly string[],
): void {
  const [id] = candidates ?? [];
  if (id === undefined || hint?.kind !== 'models-found') return;
  // Roles whose cost class is not allowed are not tried.
  const isTried = hint.without.some(({ refused }) => refused.includes(id));
  if (!isTried || roles.some((role) => models[role] === id)) return;
  throw new ConfigurationError(
    `--model ${id}: the target refuses every trial with this model. ${listedModelsText(id, listed)} ` +
      'Without --model, models are found by trial.',
  );
}

async function isAbsentPath(answer: IncomingResponse, preflight: PreflightClient): Promise<boolean> {
  const unknown = await preflight.fetchUnknownPath('POST');
  return isUnknownPath(answer, unknown) && !/model/i.test(responseShape(answer) ?? '');
}

function listedModelsText(id: string, listed: readonly string[]): string {
  if (listed.length === 0) return 'It lists no models.';
  const count = listed.length === 1 ? 'one model' : `${listed.length} models`;
  const nearest = sortByDistance(listed, (name) => editDistance(id.toLowerCase(), name.toLowerCase()));
  return `It lists ${count}; the nearest: ${nearest.slice(0, MAX_SUGGESTIONS).join(', ')}.`;
}

function unlistedModelsHint({ models }: RunConfiguration, listed: readonly string[] | null): Hint | null {
  // A hint rather than an error, because services accept aliases and private models that they do not list.
  if (listed === null) return null;
  const unlisted = Object.entries(models).filter(([role, id]) => PRESET[role] !== id && !listed.includes(id));
  if (unlisted.length === 0) return null;
  return {
    kind: 'models-not-listed',
    models: unlisted.map(([role, id]) => ({ role, id })),
    listed: listed.slice(0, MAX_LISTED_IN_HINT),
    total: listed.length,
  };
}
