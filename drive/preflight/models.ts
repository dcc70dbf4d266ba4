import { isKeyRefusal } from '../../exchange/claims.ts';
import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import type { Hint, ModelChoice } from '../../exchange/note.ts';
import type { CostClass } from '../../schemas/index.ts';
import { editDistance, sortByDistance } from '../../schemas/nearest-names.ts';
import {
  ConfigurationError,
  type RunConfiguration,
  specifiedModels,
} from '../configuration/configuration.ts';
import { valueAt } from '../scenario/call-result.ts';
import {
  type CallInput,
  type FormPart,
  MODEL_ROLES,
  type ModelRole,
  type RoleName,
  roleNames,
  type Scenario,
} from '../scenario/scenario.ts';
import { toneWave } from '../scenario/tone-wave.ts';
import type { IncomingResponse } from '../target/target.ts';
import { isUnknownPath, type PreflightClient } from './preflight-client.ts';
import { selectScenarios } from './select.ts';

/** Largest number of models that are tried for one role. */
export const CANDIDATES = 3;

/** The models of a run after the search, and the hint that lists them; null if no role was searched. */
interface FoundModels {
  readonly models: RunConfiguration['models'];
  readonly hint: Hint | null;
}

/** One role after its search: its model, and the models that refused the trial. */
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
 * reason other than the model, the first is used, so that the run shows what is wrong. The trials are not part of the
 * trace.
 */
async function findModels(
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
  const search = { listed, configuration, preflight, plainAnswer: cachedChatTrial(preflight) };
  const found = await Promise.all(searched.map((role) => findRole(role, search)));
  if (roles.includes('assistant')) found.push(assistantAmong(found, search));
  const reported = found.filter(({ role, id }) => id !== null || models[role] === undefined);
  return {
    models: {
      ...models,
      ...Object.fromEntries(found.flatMap(({ role, id }) => (id === null ? [] : [[role, id]]))),
    },
    hint: hintOn(reported, listed.length, candidates?.[0]),
  };
}

interface Search {
  /** Ids in the order of the target's list. */
  readonly listed: readonly string[];
  readonly configuration: RunConfiguration;
  readonly preflight: PreflightClient;
  /** The response of a model to the trial of `chat`, with which the trial of `vision` is compared. */
  readonly plainAnswer: (id: string) => Promise<IncomingResponse>;
}

function cachedChatTrial(preflight: PreflightClient): Search['plainAnswer'] {
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
  const { listed, configuration, preflight, plainAnswer } = search;
  const { cost, operation, input, ...names } = ROLE_SEARCHES[role];
  // Names only decide the order: the response shows what a model can do.
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
    refused.push(id);
    isAboutModel &&= blamesModel(answer, id);
  }
  // A model that refuses an image has no vision, whatever the message says.
  const first = isAboutModel || role === 'vision' ? null : (likelyModels(names, listed)[0] ?? null);
  return { role, id: first, refused, ...(blind.length > 0 && { blind }) };
}

/** The model of `chat`, or the first candidate for it: assistants write text. */
function assistantAmong(found: readonly FoundRole[], search: Search): FoundRole {
  const chat = found.find(({ role }) => role === 'chat');
  const known = chat?.id ?? search.configuration.models.chat ?? null;
  const id = known ?? likelyModels(ROLE_SEARCHES.chat, search.listed)[0] ?? null;
  return { role: 'assistant', id, refused: [] };
}

/** At most three listed models: those whose names fit, then any other, unless the specification has rules for only one model. */
export function candidatesFor(
  search: Pick<RoleSearch, 'fits' | 'prefers' | 'hasOwnRules'>,
  listed: readonly string[],
): readonly string[] {
  const likely = likelyModels(search, listed);
  const others = search.hasOwnRules === true ? [] : listed.filter((id) => !likely.includes(id));
  return [...likely, ...others].slice(0, CANDIDATES);
}

function likelyModels(
  { fits, prefers }: Pick<RoleSearch, 'fits' | 'prefers'>,
  listed: readonly string[],
): readonly string[] {
  const rank = (id: string): number => {
    const place = prefers.findIndex((pattern) => pattern.test(id));
    return place === -1 ? prefers.length : place;
  };
  return listed.filter((id) => fits.test(id)).toSorted((a, b) => rank(a) - rank(b));
}

/** Whether a trial was accepted. A job that was created although its file does not exist is cancelled. */
async function isServed({ response }: IncomingResponse, preflight: PreflightClient): Promise<boolean> {
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
  // Capacity and defects of the service are not about the model.
  if (response.status < 400 || response.status > 499 || response.status === 429) return false;
  const json = jsonContent(response);
  const code = valueAt(json, '/error/code');
  const isCode = typeof code === 'string' && /model/i.test(code);
  const text = decodedContent(response)?.text ?? '';
  return valueAt(json, '/error/param') === 'model' || isCode || (text.includes(id) && /model/i.test(text));
}

/** `listed`: number of models searched; `given`: the model of `--model`. */
function hintOn(found: readonly FoundRole[], listed: number, given?: string): Hint {
  const models: readonly ModelChoice[] = found.flatMap(({ role, id }) => (id === null ? [] : [{ role, id }]));
  // A rejected model that is used anyway was not found to serve the role.
  const without = found.flatMap(({ id, ...rest }) =>
    id === null || rest.refused.includes(id) ? [rest] : [],
  );
  return { kind: 'models-found', models, without, total: listed, ...(given !== undefined && { given }) };
}

/**
 * Decides the models of a run before it begins: searches those that are not given, and checks those that are. Throws
 * ConfigurationError for a given model that the target does not know.
 */
export async function configureModels(
  configuration: RunConfiguration,
  scenarios: readonly Scenario[],
  claimed: readonly string[],
  preflight: PreflightClient,
): Promise<{ readonly configuration: RunConfiguration; readonly hints: readonly Hint[] }> {
  // The embedded reference has a model for each role, and a target that does not respond cannot be tried.
  if (configuration.target.embedded || preflight.status === null) return { configuration, hints: [] };
  const needed = rolesOf(scenarios, configuration, claimed);
  const found = await findModels(configuration, needed, preflight);
  refuseUselessModel(configuration, found, preflight.models ?? []);
  const { models, hint } = found;
  const ofNeeded = roleNames().flatMap((role) => {
    const id = needed.has(role) ? models[role] : undefined;
    return id === undefined ? [] : [[role, id] as const];
  });
  const used = { ...configuration, models: Object.fromEntries(ofNeeded) };
  await refuseUnknownModels(used, preflight);
  const unlisted = unlistedModelsMessage(used, preflight.models);
  const { status } = preflight;
  const { keyVariable, apiKey } = configuration;
  const isRefused = hint?.kind === 'models-found' && hint.total === 0 && isKeyRefusal(status);
  const refused = { status: status ?? 0, keyVariable, key: apiKey === null ? 'none' : 'sent' } as const;
  const search: Hint | null = isRefused ? { kind: 'models-refused', ...refused } : hint;
  const hints = [search, unlisted].filter((one) => one !== null);
  return { configuration: { ...configuration, models }, hints };
}

/** The roles of the scenarios that would run if every role had a model. */
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

const SUGGESTED = 3;

/**
 * Throws ConfigurationError if the target rejects a model that `--model` names. Only unlisted names are tried, with
 * one minimal request each: a name may be an alias, and the target may list no models at all.
 */
async function refuseUnknownModels(
  { models, allow }: RunConfiguration,
  preflight: PreflightClient,
): Promise<void> {
  const listed = preflight.models ?? [];
  const stated: Readonly<Record<string, string>> = specifiedModels;
  for (const role of MODEL_ROLES) {
    const id = models[role];
    if (id === undefined || stated[role] === id || listed.includes(id)) continue;
    const { cost, operation, input } = ROLE_SEARCHES[role === 'assistant' ? 'chat' : role];
    // A trial must not cost more than the run may.
    if (!allow.includes(cost)) continue;
    const known = await preflight.ask('retrieveModel', { path: { model: id } });
    // A list may end after its first page, or leave out private models.
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
    `--model ${id}: the target refuses every trial with this model. ${listWords(id, listed)} ` +
      'Without --model, models are found by trial.',
  );
}

/** Whether a path does not exist: it gets the same response as an unknown path, without a mention of models. */
async function isAbsentPath(answer: IncomingResponse, preflight: PreflightClient): Promise<boolean> {
  const unknown = await preflight.unknownPath('POST');
  return isUnknownPath(answer, unknown) && !/model/i.test(answer.response?.body.text ?? '');
}

function listWords(id: string, listed: readonly string[]): string {
  if (listed.length === 0) return 'It lists no models.';
  const count = listed.length === 1 ? 'one model' : `${listed.length} models`;
  const near = sortByDistance(listed, (name) => editDistance(id.toLowerCase(), name.toLowerCase()));
  return `It lists ${count}; the nearest: ${near.slice(0, SUGGESTED).join(', ')}.`;
}

/**
 * Whether a model that accepted an image uses it: its name says so, or the same message counts more input tokens with the image
 * than without. A service that ignores images accepts them as well.
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

function inputTokens({ response }: IncomingResponse): number | null {
  const count = valueAt(jsonContent(response), '/usage/prompt_tokens');
  return typeof count === 'number' ? count : null;
}

const NAMED = 8;

/** A hint on configured models that the target does not list; null if it lists all of them or returns no list. */
function unlistedModelsMessage({ models }: RunConfiguration, listed: readonly string[] | null): Hint | null {
  // A hint rather than an error, because services accept aliases and private models that they do not list.
  if (listed === null) return null;
  // The defaults of the specification are not the user's choice.
  const stated: Readonly<Record<string, string>> = specifiedModels;
  const unlisted = Object.entries(models).filter(([role, id]) => stated[role] !== id && !listed.includes(id));
  if (unlisted.length === 0) return null;
  return {
    kind: 'models-not-listed',
    models: unlisted.map(([role, id]) => ({ role, id })),
    listed: listed.slice(0, NAMED),
    total: listed.length,
  };
}

/** How a model for a role is found: by the cheapest request that needs it. Names decide which of the listed models are tried first. */
export interface RoleSearch {
  /** Names of models that are likely to serve the role, and are tried before all others. */
  readonly fits: RegExp;
  /** True if the specification has rules only for this model, so no other model may take its role. */
  readonly hasOwnRules?: true;
  /** Names that are tried first, the best pattern first. */
  readonly prefers: readonly RegExp[];
  readonly cost: CostClass;
  readonly operation: string;
  readonly input: (model: string) => CallInput;
}

const OTHER_MEDIA = /embed|whisper|transcri|tts|speech|dall-?e|image|diffusion|flux|moderation|rerank|guard/i;
/** Any other name, since few names say what a model can do. */
const WRITES_TEXT = new RegExp(`^(?!.*(?:${OTHER_MEDIA.source}))`, 'i');

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==';

const json = (body: (model: string) => NonNullable<CallInput['body']>) => (model: string) => ({
  body: body(model),
});

const oneToken = json((model) => ({ model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }));

const oneImage = (size: string) => json((model) => ({ model, prompt: 'A dot', n: 1, size }));

/** `assistant` has no entry: it takes the model of `chat` without its own trial. */
export const ROLE_SEARCHES: Readonly<Record<Exclude<ModelRole, 'assistant'>, RoleSearch>> = {
  chat: {
    fits: WRITES_TEXT,
    prefers: [/chat|gpt|turbo/i, /instruct|-it\b/i],
    cost: 'tokens',
    operation: 'createChatCompletion',
    input: oneToken,
  },
  vision: {
    fits: WRITES_TEXT,
    prefers: [/vision|-vl|\bvl|llava|pixtral|omni|4o/i, /chat|gpt/i],
    cost: 'tokens',
    operation: 'createChatCompletion',
    input: json((model) => {
      const image = { type: 'image_url', image_url: { url: PIXEL } };
      const content = [{ type: 'text', text: 'Hi' }, image];
      return { model, messages: [{ role: 'user', content }], max_tokens: 1 };
    }),
  },
  completion: {
    fits: WRITES_TEXT,
    prefers: [/base|davinci|babbage/i, /instruct|completion/i],
    cost: 'tokens',
    operation: 'createCompletion',
    input: json((model) => ({ model, prompt: 'Hi', max_tokens: 1 })),
  },
  'suffix-completion': {
    fits: WRITES_TEXT,
    prefers: [/instruct|coder?|fim/i],
    cost: 'tokens',
    operation: 'createCompletion',
    input: json((model) => ({ model, prompt: 'Hi', suffix: '.', max_tokens: 1 })),
  },
  'image-v2': {
    fits: /(?:dall-?e|image)\D*2\b/i,
    hasOwnRules: true,
    prefers: [],
    cost: 'images',
    operation: 'createImage',
    input: oneImage('256x256'),
  },
  'image-v3': {
    fits: /(?:dall-?e|image)\D*3\b/i,
    hasOwnRules: true,
    prefers: [],
    cost: 'images',
    operation: 'createImage',
    input: oneImage('1024x1024'),
  },
  transcription: {
    fits: /whisper|transcri|asr\b|parakeet/i,
    prefers: [/whisper/i],
    cost: 'audio',
    operation: 'createTranscription',
    input: (model) => ({ form: recordingForm(model) }),
  },
  speech: {
    fits: /tts|speech|kokoro|bark/i,
    prefers: [/^tts-1$/],
    cost: 'audio',
    operation: 'createSpeech',
    input: json((model) => ({ model, input: 'a', voice: 'alloy' })),
  },
  moderation: {
    fits: /moderation|guard/i,
    prefers: [/latest/],
    cost: 'free',
    operation: 'createModeration',
    input: json((model) => ({ model, input: 'a' })),
  },
  'fine-tuning': {
    fits: WRITES_TEXT,
    prefers: [/small|mini|turbo|babbage/i],
    cost: 'training',
    operation: 'createFineTuningJob',
    // The file does not exist, so no job begins.
    input: json((model) => ({ model, training_file: 'file-assay-no-such-file' })),
  },
};

/** A quarter of a second of a tone; services refuse recordings below a tenth. */
function recordingForm(model: string): readonly FormPart[] {
  return [
    { name: 'file', file: toneWave(0.25), filename: 'tone.wav', type: 'audio/wav' },
    { name: 'model', value: model },
  ];
}
