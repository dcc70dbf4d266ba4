import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { uploadSample } from '../files/samples.ts';
import type { Json } from '../vocabulary/types.ts';

/** Makes a vector store that is named after the run; gives back its id. */
export async function createSampleStore(
  context: ScenarioContext,
  fields: Readonly<Record<string, Json>> = {},
): Promise<string> {
  const body = { name: context.tag, ...fields };
  return (await context.need('createVectorStore', { body })).text('/id');
}

/** Uploads so many files that a store can take; gives back their ids. */
export function uploadStoreFiles(context: ScenarioContext, count: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: count }, () => uploadSample(context, 'assistants')));
}

/** Long enough that nothing expires under way. */
export const ONE_DAY = 86_400;
