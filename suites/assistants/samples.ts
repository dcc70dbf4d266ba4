import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { uploadSample } from '../files/samples.ts';
import type { ReadyRequest } from '../generate/requests.ts';
import type { Json, JsonObject } from '../vocabulary/types.ts';

export type AssistantForm = 'v1' | 'v2';

export function assistantFunction(name: string): Json {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  return { type: 'function', function: { name, description: `Knows the ${name} of a city.`, parameters } };
}

/** `served`: in the version that the target serves, the beta form if it serves both. */
export async function createSampleAssistant(
  context: ScenarioContext,
  form: AssistantForm | 'served',
  fields: JsonObject = {},
): Promise<string> {
  const body = { model: context.model('assistant'), metadata: { made_by: context.tag }, ...fields };
  const version = form === 'served' ? {} : { variant: form };
  return (await context.need('createAssistant', { ...version, body })).text('/id');
}

export async function uploadAssistantFiles(
  context: ScenarioContext,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await uploadSample(context, 'assistants'));
  return ids;
}

/**
 * A model other than that of the assistants; null if all roles name the same one. A target may refuse it: the specification does
 * not say which models serve assistants.
 */
export function otherModel(context: ScenarioContext): string | null {
  const own = context.model('assistant');
  const others = OTHER_ROLES.map((role) => context.model(role));
  return others.find((id) => id !== own) ?? null;
}

export const OTHER_ROLES = ['chat', 'fine-tuning'] as const;

async function createEmptyStore(context: ScenarioContext): Promise<string> {
  return (await context.need('createVectorStore', emptyStore(context))).text('/id');
}

function emptyStore({ tag }: ScenarioContext) {
  return { body: { name: tag, metadata: { made_by: tag } } };
}

async function createToolResources(context: ScenarioContext): Promise<JsonObject> {
  const [file, store] = await Promise.all([uploadSample(context, 'assistants'), createEmptyStore(context)]);
  return { code_interpreter: { file_ids: [file] }, file_search: { vector_store_ids: [store] } };
}

/** Valid values of `tool_resources` and its members, for probes of these. */
export async function resourceSamples(
  context: ScenarioContext,
): Promise<NonNullable<ReadyRequest['samples']>> {
  const whole = await createToolResources(context);
  const { code_interpreter: code = null, file_search: search = null } = whole;
  return {
    tool_resources: () => whole,
    'tool_resources.code_interpreter': () => code,
    'tool_resources.file_search': () => search,
  };
}

/** Like `createToolResources`, without a vector store where the target offers none. */
export async function offeredToolResources(context: ScenarioContext): Promise<JsonObject> {
  const [file, search] = await Promise.all([uploadSample(context, 'assistants'), offeredSearch(context)]);
  return { code_interpreter: { file_ids: [file] }, ...search };
}

/** A vector store for `file_search`; nothing if the target offers none, because the tool does without. */
export async function offeredSearch(context: ScenarioContext): Promise<JsonObject> {
  const store = await context.want('createVectorStore', emptyStore(context));
  return store === null ? {} : { file_search: { vector_store_ids: [store.text('/id')] } };
}
