import type { Hint, ModelChoice } from '../../exchange/note.ts';
import { byDistance, editDistance } from '../../schemas/nearest-names.ts';
import {
  ConfigurationError,
  type RunConfiguration,
  specifiedModels,
} from '../configuration/configuration.ts';
import { valueAt } from '../scenario/call-result.ts';
import {
  MODEL_ROLES,
  type ModelRole,
  type RoleName,
  roleNames,
  type Scenario,
} from '../scenario/scenario.ts';
import type { IncomingResponse } from '../target/target.ts';
import { isUnknownPath, type PreflightClient } from './preflight-client.ts';
import { selectScenarios } from './select.ts';
import { ROLE_SEARCHES, type RoleSearch } from './trials.ts';

/** Models that are tried for one role before it stays without a model. */
export const CANDIDATES = 3;

/** The models of a run after the search, and the hint that lists them; null where nothing was searched. */
export interface FoundModels {
  readonly models: RunConfiguration['models'];
  readonly hint: Hint | null;
}

/** One role after its search: its model, and the models that refused it. */
interface FoundRole {
  readonly role: ModelRole;
  readonly id: string | null;
  readonly refused: readonly string[];
  /** Models that accepted an image without a sign that they looked at it; absent for other roles, and for none. */
  readonly blind?: readonly string[];
}

/**
 * Finds a model for each role that the run needs and no `--model` names, among those that the target lists, or for a single given one: at most three
 * are tried for a role, each with one request of the smallest size. Where each refusal is about something else than the model,
 * the first one is taken, so that the run shows what is wrong. Outside the trace.
 */
export async function findModels(
  configuration: RunConfiguration,
  needed: ReadonlySet<RoleName>,
  preflight: PreflightClient,
): Promise<FoundModels> {
  const { modelSearch, models } = configuration;
  const { candidates } = modelSearch;
  const listed = candidates ?? preflight.models ?? [];
  const isOpen = (role: RoleName) => {
    const given = models[role];
    if (given === undefined || candidates !== null) return needed.has(role);
    return needed.has(role) && listed.length > 0 && !listed.includes(given);
  };
  // A default that the target lists needs no search: the specification names it.
  const roles = modelSearch.roles.filter(isOpen);
  if (roles.length === 0) return { models, hint: null };
  const searched = roles.filter((role) => role !== 'assistant');
  const search = { listed, configuration, preflight, plainAnswer: askedOnce(preflight) };
  const found = await Promise.all(searched.map((role) => findRole(role, search)));
  if (roles.includes('assistant')) found.push(await assistantAmong(found, search));
  return {
    models: { ...models, ...chosen(found) },
    hint: hintOn(
      found.filter(({ role, id }) => id !== null || models[role] === undefined),
      listed.length,
      candidates?.[0],
    ),
  };
}

/** Where a search looks. */
interface Search {
  /** Ids in the order of the target's list. */
  readonly listed: readonly string[];
  readonly configuration: RunConfiguration;
  readonly preflight: PreflightClient;
  /** The answer of a model to the trial of `chat`, which the trial of `vision` is compared with. */
  readonly plainAnswer: (id: string) => Promise<IncomingResponse>;
}

/** Sends the trial of `chat` once to each model, whichever role needs its answer. */
function askedOnce(preflight: PreflightClient): Search['plainAnswer'] {
  const { operation, input } = ROLE_SEARCHES.chat;
  const answers = new Map<string, Promise<IncomingResponse>>();
  return (id) => {
    const answer = answers.get(id) ?? preflight.ask(operation, input(id));
    answers.set(id, answer);
    return answer;
  };
}

/** Tries the candidates of one role, one after the other; none where the cost class of the trial is not allowed. */
async function findRole(role: Exclude<ModelRole, 'assistant'>, search: Search): Promise<FoundRole> {
  const { listed, configuration, preflight, plainAnswer } = search;
  const { cost, operation, input, ...names } = ROLE_SEARCHES[role];
  // The names decide the order alone: what a model can do is shown by its answer.
  const candidates = candidatesFor(names, listed);
  const refused: string[] = [];
  const blind: string[] = [];
  let isAboutModel = true;
  if (!configuration.allow.includes(cost)) return { role, id: null, refused };
  for (const id of candidates) {
    const answer = await (role === 'chat' ? plainAnswer(id) : preflight.ask(operation, input(id)));
    const isAccepted = await isServed(answer, preflight);
    if (isAccepted && role === 'vision' && !(await showsSight(id, answer, plainAnswer))) {
      blind.push(id);
      continue;
    }
    if (isAccepted) return { role, id, refused };
    // One refusal for another reason is enough: the run then shows that reason.
    refused.push(id);
    isAboutModel &&= blamesModel(answer, id);
  }
  // An image that is refused is a model without images, whatever the message says.
  const first = isAboutModel || role === 'vision' ? null : (candidates[0] ?? null);
  return { role, id: first, refused, ...(blind.length > 0 && { blind }) };
}

/** The model of chat, as assistants write text; without chat, the one that would be tried first for it. */
async function assistantAmong(found: readonly FoundRole[], search: Search): Promise<FoundRole> {
  const chat = found.find(({ role }) => role === 'chat');
  const known = chat?.id ?? search.configuration.models.chat ?? null;
  const id = known ?? candidatesFor(ROLE_SEARCHES.chat, search.listed)[0] ?? null;
  return { role: 'assistant', id, refused: [] };
}

/** The listed models whose names fit, preferred ones first, at most three. */
function candidatesFor(
  { fits, prefers }: Pick<RoleSearch, 'fits' | 'prefers'>,
  listed: readonly string[],
): readonly string[] {
  const rank = (id: string): number => {
    const place = prefers.findIndex((pattern) => pattern.test(id));
    return place === -1 ? prefers.length : place;
  };
  return listed
    .filter((id) => fits.test(id))
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, CANDIDATES);
}

/** Whether a trial was accepted. A job that began although its file does not exist is cancelled at once. */
async function isServed({ response }: IncomingResponse, preflight: PreflightClient): Promise<boolean> {
  if (response === null) return false;
  const json = response.body.json?.value;
  const isAccepted = response.status >= 200 && response.status <= 299;
  const id = valueAt(json, '/id');
  if (isAccepted && valueAt(json, '/object') === 'fine_tuning.job' && typeof id === 'string')
    await preflight.ask('cancelFineTuningJob', { path: { fine_tuning_job_id: id } });
  return isAccepted || valueAt(json, '/error/param') === 'training_file';
}

/** Whether a refusal is about the model: by its status, or by the `param`, `code` or `message` of the error. */
export function blamesModel({ response }: Pick<IncomingResponse, 'response'>, id: string): boolean {
  if (response === null) return false;
  // 404 is the status of an unknown model, and of a model that does not serve this operation.
  if (response.status === 404) return true;
  // Capacity and defects of the service are not about the model.
  if (response.status < 400 || response.status > 499 || response.status === 429) return false;
  const json = response.body.json?.value;
  const code = valueAt(json, '/error/code');
  // Services name the culprit in one of three places.
  const isCode = typeof code === 'string' && /model/i.test(code);
  const text = response.body.text ?? '';
  return valueAt(json, '/error/param') === 'model' || isCode || (text.includes(id) && /model/i.test(text));
}

/** The ids by role; roles without a model are left out. */
function chosen(found: readonly FoundRole[]): RunConfiguration['models'] {
  return Object.fromEntries(found.flatMap(({ role, id }) => (id === null ? [] : [[role, id]])));
}

/** The hint that lists what was found and tried. `listed`: number of models that were searched; `given`: the one of `--model`. */
function hintOn(found: readonly FoundRole[], listed: number, given?: string): Hint {
  const models: readonly ModelChoice[] = found.flatMap(({ role, id }) => (id === null ? [] : [{ role, id }]));
  // A model that refused for another reason is used, so that the run shows the reason; it was not found to serve the role.
  const without = found.flatMap(({ id, ...rest }) =>
    id === null || rest.refused.includes(id) ? [rest] : [],
  );
  return { kind: 'models-found', models, without, total: listed, ...(given !== undefined && { given }) };
}

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

/**
 * Whether a model that accepted an image looks at it, as far as it can be seen: its name says so, or the same message counts more
 * tokens of input with the image than without. A service that ignores images accepts them, too.
 */
export async function showsSight(
  id: string,
  withImage: IncomingResponse,
  withoutImage: (id: string) => Promise<IncomingResponse>,
): Promise<boolean> {
  const [byName] = ROLE_SEARCHES.vision.prefers;
  if (byName?.test(id) === true) return true;
  const more = inputTokens(withImage);
  const fewer = more === null ? null : inputTokens(await withoutImage(id));
  return more !== null && fewer !== null && more > fewer;
}

/** Tokens of the input that an answer counts; null where it counts none. */
function inputTokens({ response }: IncomingResponse): number | null {
  const count = valueAt(response?.body.json?.value, '/usage/prompt_tokens');
  return typeof count === 'number' ? count : null;
}

/** Number of models of the target that the hint names; the others are counted. */
const NAMED = 8;

/** A hint on configured models that the target does not list; null where it lists all of them, or returns no list. */
export function unlistedModelsMessage(
  { models }: RunConfiguration,
  listed: readonly string[] | null,
): Hint | null {
  // Only a hint and never an error: services accept aliases and private models that their list leaves out.
  if (listed === null) return null;
  // The defaults that the specification names are not the user's choice, so they are not worth a hint.
  const stated: Readonly<Record<string, string>> = specifiedModels;
  const strangers = Object.entries(models).filter(
    ([role, id]) => stated[role] !== id && !listed.includes(id),
  );
  if (strangers.length === 0) return null;
  return {
    kind: 'models-not-listed',
    models: strangers.map(([role, id]) => ({ role, id })),
    listed: listed.slice(0, NAMED),
    total: listed.length,
  };
}
