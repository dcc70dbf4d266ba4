import type { Stage } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { uploaded } from '../files/samples.ts';

export type Form = 'v1' | 'v2';

export type Fields = Readonly<Record<string, Json>>;

/** A function that an assistant may call. */
export function functionTool(name: string): Json {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  return { type: 'function', function: { name, description: `Knows the ${name} of a city.`, parameters } };
}

/** Makes an assistant; gives its id. Its metadata say where it came from. */
export async function assistant(stage: Stage, form: Form, fields: Fields = {}): Promise<string> {
  const body = { model: stage.model('assistant'), metadata: { made_by: stage.tag }, ...fields };
  return (await stage.need('createAssistant', { variant: form, body })).text('/id');
}

/** Uploads so many files for assistants, one after the other, so that they have an age. */
export async function files(stage: Stage, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await uploaded(stage, 'assistants'));
  return ids;
}

/** A vector store without files; gives its id. */
export async function store(stage: Stage): Promise<string> {
  const body = { name: stage.tag, metadata: { made_by: stage.tag } };
  return (await stage.need('createVectorStore', { body })).text('/id');
}

/** A file for one tool and a vector store for the other. */
export async function resources(stage: Stage): Promise<Fields> {
  const [file, shelf] = await Promise.all([uploaded(stage, 'assistants'), store(stage)]);
  return { code_interpreter: { file_ids: [file] }, file_search: { vector_store_ids: [shelf] } };
}
