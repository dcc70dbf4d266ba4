import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import { isKeyRefusal } from '../../exchange/key-refusal.ts';
import type { Hint, ModelChoice } from '../../exchange/note.ts';
import { editDistance, sortByDistance } from '../../schemas/nearest-names.ts';
import {
  ConfigurationError,
  type RunConfiguration,
  specifiedModels,
} from '../configuration/configuration.ts';
import { valueAt } from '../scenario/call-result.ts';
import { MODEL_ROLES, type ModelRole, type RoleName, roleNames } from '../scenario/model-roles.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { IncomingResponse } from '../target/target.ts';
import { isUnknownPath, type PreflightClient } from './preflight-client.ts';
import { candidatesFor, likelyModels, ROLE_SEARCHES } from './role-searches.ts';
import { selectScenarios } from './scenario-selection.ts';

/** The models of a run after the search, and the hint that lists them; null if no role was searched. */
interface FoundModels {
  readonly models: RunConfiguration['models'];
  readonly hint: Hint | null;
}

/** The result of the search for one role: its model, and the models that refused the trial. */
interface FoundRole {
  readonly role: ModelRole;
  readonly id: string | null;
  readonly refused: readonly string[];
  /** Models that accepted an image but show no sign of having looked at it; absent for none. */
  readonly blind?: readonly string[];
}

/**
 * Finds a model for each role that the run needs and `--model` does not set, among the models that the target lists,
 * or the given one. At most three are tried per role, with one minimal request each. If they are rejected for a
 * reason other than the model, the first is used, so that the run shows what is wrong. The trace contains the
 * trials as discovery, and nothing judges them.
 */
async function findModels(
  configuration: RunConfiguration,
  neededRoles: ReadonlySet<RoleName>,
  preflight: PreflightClient,
): Promise<FoundModels> {
  const { modelSearch, models } = configuration;
  const { candidates } = modelSearch;
  const searchedModels = candidates ?? preflight.models ?? [];
  const isSearched = (role: RoleName) => {
    const configured = models[role];
    if (configured === undefined || candidates !== null) return neededRoles.has(role);
    return neededRoles.has(role) && searchedModels.length > 0 && !searchedModels.includes(configured);
  };
  // The specification names the default models, so a default that the target lists needs no search.
  const roles = modelSearch.roles.filter(isSearched);
  if (roles.length === 0) return { models, hint: null };
  const triedRoles = roles.filter((role) => role !== 'assistant');
  const search = { listed: searchedModels, configuration, preflight, tryChat: cacheChatTrials(preflight) };
  const results = await Promise.all(triedRoles.map((role) => findRole(role, search)));
  if (roles.includes('assistant')) results.push(assistantRole(results, search));
  const reportedResults = results.filter(({ role, id }) => id !== null || models[role] === undefined);
  return {
    models: {
      ...models,
      ...Object.fromEntries(results.flatMap(({ role, id }) => (id === null ? [] : [[role, id]]))),
    },
    hint: modelsHint(reportedResults, searchedModels.length, candidates?.[0]),
  };
}

interface Search {
  /** Ids in the order of the target's list. */
  readonly listed: readonly string[];
  readonly configuration: RunConfiguration;
  readonly preflight: PreflightClient;
  /** Returns the response of a model to the trial of `chat`, with which the trial of `vision` is compared. */
  readonly tryChat: (id: string) => Promise<IncomingResponse>;
}

function cacheChatTrials(preflight: PreflightClient): Search['tryChat'] {
  const { operation, input } = ROLE_SEARCHES.chat;
  const answers = new Map<string, Promise<IncomingResponse>>();
  return (id) => {
    const answer = answers.get(id) ?? preflight.ask(operation, input(id));
    answers.set(id, answer);
    return answer;
  };
}

/** Tries the candidates of one role in turn; none if the cost class of the trial is not allowed. */
async function findRole(role: Exclude<ModelRole, 'assistant'>, search: Search): Promise<FoundRole> {
  const { listed, configuration, preflight, tryChat } = search;
  const { cost, operation, input, ...names } = ROLE_SEARCHES[role];
  // Names only decide the order: the response shows what a model can do.
  const candidates = candidatesFor(names, listed);
  const refused: string[] = [];
  const blind: string[] = [];
  let isAboutModel = true;
  if (!configuration.allow.includes(cost)) return { role, id: null, refused };
  for (const id of candidates) {
    const answer = await (role === 'chat' ? tryChat(id) : preflight.ask(operation, input(id)));
    const isAccepted = await isTrialAccepted(answer, preflight);
    if (isAccepted && role === 'vision' && !(await seesImages(id, answer, tryChat))) {
      blind.push(id);
      continue;
    }
    if (isAccepted) return { role, id, refused };
    refused.push(id);
    isAboutModel &&= blamesModel(answer, id);
  }
  // A model that refuses an image has no vision, whatever the message says.
  const fallback = isAboutModel || role === 'vision' ? null : (likelyModels(names, listed)[0] ?? null);
  return { role, id: fallback, refused, ...(blind.length > 0 && { blind }) };
}

/** The model of `chat`, or the first candidate for it: assistants write text. */
function assistantRole(found: readonly FoundRole[], search: Search): FoundRole {
  const chat = found.find(({ role }) => role === 'chat');
  const chatModel = chat?.id ?? search.configuration.models.chat ?? null;
  const id = chatModel ?? likelyModels(ROLE_SEARCHES.chat, search.listed)[0] ?? null;
  return { role: 'assistant', id, refused: [] };
}

/** Whether a trial was accepted, or only its file rejected. A job that was created without the file is cancelled. */
async function isTrialAccepted({ response }: IncomingResponse, preflight: PreflightClient): Promise<boolean> {
  if (response === null) return false;
  const json = jsonContent(response);
  const isAccepted = response.status >= 200 && response.status <= 299;
  const id = valueAt(json, '/id');
  if (isAccepted && valueAt(json, '/object') === 'fine_tuning.job' && typeof id === 'string')
    await preflight.ask('cancelFineTuningJob', { path: { fine_tuning_job_id: id } });
  return isAccepted || valueAt(json, '/error/param') === 'training_file';
}

/** Whether a refusal is about the model, by its status or the `param`, `code` or `message` of the error. */
function blamesModel({ response }: Pick<IncomingResponse, 'response'>, id: string): boolean {
  if (response === null) return false;
  // 404 is the status of an unknown model, or of one that does not serve this operation.
  if (response.status === 404) return true;
  // Errors about capacity and defects of the service do not blame the model.
  if (response.status < 400 || response.status > 499 || response.status === 429) return false;
  const json = jsonContent(response);
  const code = valueAt(json, '/error/code');
  const isCode = typeof code === 'string' && /model/i.test(code);
  const text = decodedContent(response)?.text ?? '';
  return valueAt(json, '/error/param') === 'model' || isCode || (text.includes(id) && /model/i.test(text));
}

/** The hint that lists the models found. `listed`: number of models searched; `given`: the model of `--model`. */
function modelsHint(found: readonly FoundRole[], listed: number, given?: string): Hint {
  const models: readonly ModelChoice[] = found.flatMap(({ role, id }) => (id === null ? [] : [{ role, id }]));
  // A rejected model can be in use as a fallback, but was not found to serve the role.
  const without = found.flatMap(({ id, ...rest }) =>
    id === null || rest.refused.includes(id) ? [rest] : [],
  );
  return { kind: 'models-found', models, without, total: listed, ...(given !== undefined && { given }) };
}

/** Finds the models that are not given. Throws ConfigurationError for a given model that the target does not know. */
export async function configureModels(
  configuration: RunConfiguration,
  scenarios: readonly Scenario[],
  claimed: readonly string[],
  preflight: PreflightClient,
): Promise<{ readonly configuration: RunConfiguration; readonly hints: readonly Hint[] }> {
  // The embedded reference has a model for each role, and a target that does not respond cannot be tried.
  if (configuration.target.embedded || preflight.status === null) return { configuration, hints: [] };
  const neededRoles = rolesOf(scenarios, configuration, claimed);
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
  const searchHint: Hint | null = isKeyRefused
    ? { kind: 'models-refused', status: status ?? 0, keyVariable, key }
    : hint;
  const hints = [searchHint, unlistedHint].filter((one) => one !== null);
  return { configuration: { ...configuration, models }, hints };
}

function rolesOf(
  scenarios: readonly Scenario[],
  configuration: RunConfiguration,
  claimed: readonly string[],
): ReadonlySet<RoleName> {
  // The selection leaves out scenarios whose role has no model, so every role gets one here.
  const models = Object.fromEntries(roleNames().map((role) => [role, 'any']));
  const { run } = selectScenarios(scenarios, { ...configuration, models }, claimed);
  return new Set(run.flatMap(({ roles, optionalRoles = [] }) => [...roles, ...optionalRoles]));
}

const MAX_SUGGESTIONS = 3;

/**
 * Throws ConfigurationError if the target rejects a model that `--model` names. Only unlisted names are looked up and,
 * if not found, tried with a minimal request: a name may be an alias, and the target may list no models at all.
 */
async function refuseUnknownModels(
  { models, allow }: RunConfiguration,
  preflight: PreflightClient,
): Promise<void> {
  const listed = preflight.models ?? [];
  const preset: Readonly<Record<string, string>> = specifiedModels;
  for (const role of MODEL_ROLES) {
    const id = models[role];
    if (id === undefined || preset[role] === id || listed.includes(id)) continue;
    const { cost, operation, input } = ROLE_SEARCHES[role === 'assistant' ? 'chat' : role];
    // A trial must not spend a cost class that the run may not spend.
    if (!allow.includes(cost)) continue;
    const retrieval = await preflight.ask('retrieveModel', { path: { model: id } });
    // A list may end after its first page, or leave out private models.
    if (retrieval.response?.status === 200) continue;
    const answer = await preflight.ask(operation, input(id));
    if (!blamesModel(answer, id) || (await isAbsentPath(answer, preflight))) continue;
    throw new ConfigurationError(
      `--model ${role}=${id}: the target answers ${answer.response?.status} to a request with this model and does not list it. ` +
        `${listedModelsText(id, listed)} ` +
        `Without --model, models are found by trial; --model ${role}=none leaves the role out.`,
    );
  }
}

/** Throws ConfigurationError if all roles reject the one model that `--model` names for them. */
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

/** Whether a path does not exist: it gets the same response as an unknown path, without a mention of models. */
async function isAbsentPath(answer: IncomingResponse, preflight: PreflightClient): Promise<boolean> {
  const unknown = await preflight.fetchUnknownPath('POST');
  return isUnknownPath(answer, unknown) && !/model/i.test(answer.response?.body.text ?? '');
}

function listedModelsText(id: string, listed: readonly string[]): string {
  if (listed.length === 0) return 'It lists no models.';
  const count = listed.length === 1 ? 'one model' : `${listed.length} models`;
  const nearest = sortByDistance(listed, (name) => editDistance(id.toLowerCase(), name.toLowerCase()));
  return `It lists ${count}; the nearest: ${nearest.slice(0, MAX_SUGGESTIONS).join(', ')}.`;
}

/**
 * Whether a model that accepted an image uses it: its name says so, or the same message counts more input tokens with
 * the image than without. A service that ignores images accepts them as well.
 */
export async function seesImages(
  id: string,
  withImage: IncomingResponse,
  withoutImage: (id: string) => Promise<IncomingResponse>,
): Promise<boolean> {
  const [namePattern] = ROLE_SEARCHES.vision.prefers;
  if (namePattern?.test(id) === true) return true;
  const tokensWithImage = inputTokens(withImage);
  const tokensWithout = tokensWithImage === null ? null : inputTokens(await withoutImage(id));
  return tokensWithImage !== null && tokensWithout !== null && tokensWithImage > tokensWithout;
}

function inputTokens({ response }: IncomingResponse): number | null {
  const count = valueAt(jsonContent(response), '/usage/prompt_tokens');
  return typeof count === 'number' ? count : null;
}

const MAX_LISTED_IN_HINT = 8;

/** A hint about configured models that the target does not list; null if it lists all of them or returns no list. */
function unlistedModelsHint({ models }: RunConfiguration, listed: readonly string[] | null): Hint | null {
  // A hint rather than an error, because services accept aliases and private models that they do not list.
  if (listed === null) return null;
  // The defaults of the specification are not the user's choice.
  const preset: Readonly<Record<string, string>> = specifiedModels;
  const unlisted = Object.entries(models).filter(([role, id]) => preset[role] !== id && !listed.includes(id));
  if (unlisted.length === 0) return null;
  return {
    kind: 'models-not-listed',
    models: unlisted.map(([role, id]) => ({ role, id })),
    listed: listed.slice(0, MAX_LISTED_IN_HINT),
    total: listed.length,
  };
}
