import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { uploadSample } from '../files/samples.ts';
import type { Json } from '../vocabulary/types.ts';

export async function createSampleStore(
  context: ScenarioContext,
  fields: Readonly<Record<string, Json>> = {},
): Promise<string> {
  const body = { name: context.tag, ...fields };
  return (await context.need('createVectorStore', { body })).text('/id');
}

export function uploadStoreFiles(context: ScenarioContext, count: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: count }, () => uploadSample(context, 'assistants')));
}
