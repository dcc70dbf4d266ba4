import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { uploadSample } from '../files/samples.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import type { JsonObject } from '../vocabulary/types.ts';

/** Creates an assistant and returns its id. `served` uses the version that the target serves: v2 if it serves both. */
export async function createSampleAssistant(
  context: ScenarioContext,
  form: 'v1' | 'v2' | 'served',
  fields: JsonObject = {},
): Promise<string> {
  const body = { model: context.model('assistant'), metadata: { made_by: context.tag }, ...fields };
  const call =
    form === 'served'
      ? { body: context.version === 'v1' ? legacyForm(body) : body }
      : { variant: form, body };
  return (await context.need('createAssistant', call)).text('/id');
}

/** v1 calls the search tool `retrieval` and has no `tool_resources`, so a v1-only target may refuse the v2 form. */
function legacyForm({ tool_resources: _, ...fields }: JsonObject): JsonObject {
  const tools = arrayAt(fields, 'tools').map((tool) =>
    textAt(tool, 'type') === 'file_search' ? { type: 'retrieval' } : tool,
  );
  return 'tools' in fields ? { ...fields, tools } : fields;
}

export async function uploadAssistantFiles(
  context: ScenarioContext,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await uploadSample(context, 'assistants'));
  return ids;
}

/** Returns the model of the chat or the fine-tuning role if it differs from that of the assistant role, else null. */
export function otherModel(context: ScenarioContext): string | null {
  const assistantModel = context.model('assistant');
  const others = (['chat', 'fine-tuning'] as const).map((role) => context.model(role));
  return others.find((id) => id !== assistantModel) ?? null;
}

function emptyStore({ tag }: ScenarioContext) {
  return { body: { name: tag, metadata: { made_by: tag } } };
}

export async function createToolResources(context: ScenarioContext): Promise<JsonObject> {
  const [file, store] = await Promise.all([
    uploadSample(context, 'assistants'),
    context.need('createVectorStore', emptyStore(context)),
  ]);
  return { code_interpreter: { file_ids: [file] }, file_search: { vector_store_ids: [store.text('/id')] } };
}

export async function createOfferedToolResources(context: ScenarioContext): Promise<JsonObject> {
  const [file, search] = await Promise.all([
    uploadSample(context, 'assistants'),
    createOfferedSearch(context),
  ]);
  return { code_interpreter: { file_ids: [file] }, ...search };
}

/** Creates a vector store and returns `tool_resources` that name it; empty if that fails, or the target has only v1. */
export async function createOfferedSearch(context: ScenarioContext): Promise<JsonObject> {
  if (context.version === 'v1') return {};
  const store = await context.want('createVectorStore', emptyStore(context));
  return store === null ? {} : { file_search: { vector_store_ids: [store.text('/id')] } };
}
