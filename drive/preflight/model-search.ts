import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import type { Hint, ModelChoice } from '../../exchange/note.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import { valueAt } from '../scenario/call-result.ts';
import type { ModelRole, RoleName } from '../scenario/model-roles.ts';
import type { IncomingResponse } from '../target/target.ts';
import type { PreflightClient } from './preflight-client.ts';
import { candidatesFor, likelyModels, ROLE_SEARCHES } from './role-searches.ts';

export interface FoundModels {
  readonly models: RunConfiguration['models'];
  readonly hint: Hint | null;
}

interface FoundRole {
  readonly role: ModelRole;
  readonly id: string | null;
  readonly refused: readonly string[];
  /** Models that accepted an image but show no sign of having looked at it; absent if there are none. */
  readonly blind?: readonly string[];
}

interface Search {
  readonly searchedModels: readonly string[];
  readonly configuration: RunConfiguration;
  readonly preflight: PreflightClient;
  readonly tryChat: (id: string) => Promise<IncomingResponse>;
}

/**
 * Finds a model for each role of `modelSearch` that the run needs. Tries the model of `--model ID`, or at most three
 * that the target lists, with minimal requests. If none is accepted, and one is rejected for a reason other than the
 * model, the likeliest by name, if any, is used (except for vision), so that the run shows what is wrong. The assistant
 * role gets the model of `chat` without a trial. The trace contains the trials as discovery, and nothing judges them.
 */
export async function findModels(
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
  const search = { searchedModels, configuration, preflight, tryChat: cacheChatTrials(preflight) };
  const results = await Promise.all(triedRoles.map((role) => findRole(role, search)));
  if (roles.includes('assistant')) results.push(chooseAssistantModel(results, search));
  const reportedResults = results.filter(({ role, id }) => id !== null || models[role] === undefined);
  return {
    models: {
      ...models,
      ...Object.fromEntries(results.flatMap(({ role, id }) => (id === null ? [] : [[role, id]]))),
    },
    hint: createModelsHint(reportedResults, searchedModels.length, candidates?.[0]),
  };
}

function cacheChatTrials(preflight: PreflightClient): Search['tryChat'] {
  const { operation, input } = ROLE_SEARCHES.chat;
  const answers = new Map<string, Promise<IncomingResponse>>();
  return (id) => getOrMake(answers, id, () => preflight.ask(operation, input(id)));
}

async function findRole(role: Exclude<ModelRole, 'assistant'>, search: Search): Promise<FoundRole> {
  const { searchedModels, configuration, preflight, tryChat } = search;
  const { cost, operation, input, ...names } = ROLE_SEARCHES[role];
  // Names only decide the order, unless the specification has rules for one model: the response shows what it can do.
  const candidates = candidatesFor(names, searchedModels);
  const refused: string[] = [];
  const blind: string[] = [];
  let isAboutModel = true;
  if (!configuration.allow.includes(cost)) return { role, id: null, refused };
  for (const id of candidates) {
    const answer = await (role === 'chat' ? tryChat(id) : preflight.ask(operation, input(id)));
    await cancelCreatedJob(answer, preflight);
    if (!isTrialAccepted(answer)) {
      refused.push(id);
      isAboutModel &&= blamesModel(answer, id);
    } else if (role === 'vision' && !(await seesImages(id, answer, tryChat))) blind.push(id);
    else return { role, id, refused };
  }
  // A model that refuses an image has no vision, whatever the message says.
  const fallback = isAboutModel || role === 'vision' ? undefined : likelyModels(names, searchedModels)[0];
  return { role, id: fallback ?? null, refused, ...(blind.length > 0 && { blind }) };
}

/** Assistants write text, so they get the model of `chat`, or its likeliest candidate. */
function chooseAssistantModel(results: readonly FoundRole[], search: Search): FoundRole {
  const chat = results.find(({ role }) => role === 'chat');
  const chatModel = chat?.id ?? search.configuration.models.chat ?? null;
  const id = chatModel ?? likelyModels(ROLE_SEARCHES.chat, search.searchedModels)[0] ?? null;
  return { role: 'assistant', id, refused: [] };
}

/** A target that does not look up the training file creates a job. */
async function cancelCreatedJob({ response }: IncomingResponse, preflight: PreflightClient): Promise<void> {
  const json = jsonContent(response);
  const id = valueAt(json, '/id');
  if (valueAt(json, '/object') === 'fine_tuning.job' && typeof id === 'string')
    await preflight.ask('cancelFineTuningJob', { path: { fine_tuning_job_id: id } });
}

function isTrialAccepted({ response }: IncomingResponse): boolean {
  if (response === null) return false;
  const isSuccess = response.status >= 200 && response.status <= 299;
  return isSuccess || valueAt(jsonContent(response), '/error/param') === 'training_file';
}

/**
 * Whether a model that accepted an image uses it: its name says so, or the same message counts more input tokens with
 * the image than without. A service that ignores images accepts them as well.
 */
async function seesImages(
  id: string,
  withImage: IncomingResponse,
  askWithoutImage: (id: string) => Promise<IncomingResponse>,
): Promise<boolean> {
  const [namePattern] = ROLE_SEARCHES.vision.prefers;
  if (namePattern?.test(id) === true) return true;
  const tokensWithImage = inputTokens(withImage);
  const tokensWithout = tokensWithImage === null ? null : inputTokens(await askWithoutImage(id));
  return tokensWithImage !== null && tokensWithout !== null && tokensWithImage > tokensWithout;
}

function inputTokens({ response }: IncomingResponse): number | null {
  const count = valueAt(jsonContent(response), '/usage/prompt_tokens');
  return typeof count === 'number' ? count : null;
}

export function blamesModel({ response }: Pick<IncomingResponse, 'response'>, id: string): boolean {
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

function createModelsHint(results: readonly FoundRole[], total: number, given?: string): Hint {
  const models: readonly ModelChoice[] = results.flatMap(({ role, id }) =>
    id === null ? [] : [{ role, id }],
  );
  // A rejected model can be in use as a fallback, but was not found to serve the role.
  const without = results.flatMap(({ id, ...role }) =>
    id === null || role.refused.includes(id) ? [role] : [],
  );
  return { kind: 'models-found', models, without, total, ...(given !== undefined && { given }) };
}
