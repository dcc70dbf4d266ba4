import { byDistance, editDistance } from '../../../schemas/nearest-names.ts';
import {
  ConfigurationError,
  type RunConfiguration,
  specifiedModels,
} from '../../configuration/configuration.ts';
import { MODEL_ROLES } from '../../scenario/scenario.ts';
import type { IncomingResponse } from '../../target/target.ts';
import type { PreflightClient } from '../preflight-client.ts';
import { isUnknownPath } from '../response-shape.ts';
import { blamesModel, type FoundModels } from './find-models.ts';
import { ROLE_SEARCHES } from './trials.ts';

/** Names of models that the message suggests: more than a few are not read. */
const SUGGESTED = 3;

/**
 * Throws ConfigurationError where the target refuses a model that `--model` names. Only names that the target does not list are
 * asked for, each with one request of the smallest size: a name may be an alias, and the target may list none at all.
 */
export async function refuseUnknownModels(
  { models, allow }: RunConfiguration,
  preflight: PreflightClient,
): Promise<void> {
  const listed = preflight.models ?? [];
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
    if (!blamesModel(answer, id) || (await isAbsentPath(answer, preflight))) continue;
    throw new ConfigurationError(
      `--model ${role}=${id}: the target answers ${answer.response?.status} to a request with this model and does not list it. ` +
        `${listWords(id, listed)} ` +
        `Without --model, models are found by trial; --model ${role}=none leaves the role out.`,
    );
  }
}

/** Throws ConfigurationError where the one model that `--model` names for all roles is refused by the trial of each of them. */
export function refuseUselessModel(
  { modelSearch: { candidates, roles } }: RunConfiguration,
  { models, hint }: FoundModels,
  listed: readonly string[],
): void {
  const [id] = candidates ?? [];
  if (id === undefined || hint?.kind !== 'models-found') return;
  // Roles whose cost class is not allowed are not tried, and show nothing.
  const isTried = hint.without.some(({ refused }) => refused.includes(id));
  if (!isTried || roles.some((role) => models[role] === id)) return;
  throw new ConfigurationError(
    `--model ${id}: the target refuses every trial with this model. ${listWords(id, listed)} ` +
      'Without --model, models are found by trial.',
  );
}

/** Whether a path is not there at all: it is answered like any unknown one, and the answer does not speak of models. */
async function isAbsentPath(answer: IncomingResponse, preflight: PreflightClient): Promise<boolean> {
  const unknown = await preflight.unknownPath('POST');
  return isUnknownPath(answer, unknown) && !/model/i.test(answer.response?.body.text ?? '');
}

/** How many models the target lists, and which are nearest. */
function listWords(id: string, listed: readonly string[]): string {
  if (listed.length === 0) return 'It lists no models.';
  const count = listed.length === 1 ? 'one model' : `${listed.length} models`;
  return `It lists ${count}; the nearest: ${nearest(id, listed).join(', ')}.`;
}

/** The listed names with the smallest edit distance, nearest first. */
function nearest(id: string, listed: readonly string[]): readonly string[] {
  return byDistance(listed, (name) => editDistance(id.toLowerCase(), name.toLowerCase())).slice(0, SUGGESTED);
}
