import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import type { Json } from '../vocabulary/types.ts';

export type ThreadFields = Readonly<Record<string, Json>>;

export async function createSampleThread(
  context: ScenarioContext,
  fields: ThreadFields = {},
): Promise<{ readonly thread_id: string }> {
  const body = { metadata: { made_by: context.tag }, ...fields };
  return { thread_id: (await context.need('createThread', { body })).text('/id') };
}
