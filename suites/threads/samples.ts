import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import type { JsonObject } from '../vocabulary/types.ts';

export async function createSampleThread(
  context: ScenarioContext,
  fields: JsonObject = {},
): Promise<{ readonly thread_id: string }> {
  const body = { metadata: { made_by: context.tag }, ...fields };
  return { thread_id: (await context.need('createThread', { body })).text('/id') };
}
