import { byDistance, editDistance } from '../../../schemas/nearest-names.ts';
import {
  ConfigurationError,
  type RunConfiguration,
  specifiedModels,
} from '../../configuration/configuration.ts';
import { MODEL_ROLES } from '../../scenario/scenario.ts';
import type { PreflightClient } from '../preflight-client.ts';
import { blamesModel } from './find-models.ts';
import { ROLE_SEARCHES } from './trials.ts';

/** Names of models that the message suggests. */
const SUGGESTED = 3;

/**
 * Throws ConfigurationError where the target refuses a model that `--model` names. Only names that the target does not list are
 * asked for, each with one request of the smallest size: a name may be an alias.
 */
export async function refuseUnknownModels(
  { models, allow }: RunConfiguration,
  preflight: PreflightClient,
): Promise<void> {
  const { models: listed } = preflight;
  if (listed === null || listed.length === 0) return;
  const stated: Readonly<Record<string, string>> = specifiedModels;
  for (const role of MODEL_ROLES) {
    const id = models[role];
    if (id === undefined || stated[role] === id || listed.includes(id)) continue;
    const { cost, operation, input } = ROLE_SEARCHES[role === 'assistant' ? 'chat' : role];
    // A trial must not spend more than the run may; the hint on unlisted models remains.
    if (!allow.includes(cost)) continue;
    const known = await preflight.ask('retrieveModel', { path: { model: id } });
    // A list may show the first page only, or leave out private models.
    if (known.response?.status === 200) continue;
    const answer = await preflight.ask(operation, input(id));
    if (!blamesModel(answer, id)) continue;
    throw new ConfigurationError(
      `--model ${role}=${id}: the target answers ${answer.response?.status} to a request with this model and does not list it. ` +
        `It lists ${listed.length === 1 ? 'one model' : `${listed.length} models`}; the nearest: ${nearest(id, listed).join(', ')}. ` +
        `Without --model, models are found by trial; --model ${role}=none leaves the role out.`,
    );
  }
}

/** The listed names with the smallest edit distance, nearest first. */
function nearest(id: string, listed: readonly string[]): readonly string[] {
  return byDistance(listed, (name) => editDistance(id.toLowerCase(), name.toLowerCase())).slice(0, SUGGESTED);
}
