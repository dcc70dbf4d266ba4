import type { Stage } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';

export type Fields = Readonly<Record<string, Json>>;

/** Makes a thread; gives the ids of its path. Its metadata say where it came from. */
export async function thread(stage: Stage, fields: Fields = {}): Promise<{ readonly thread_id: string }> {
  const body = { metadata: { made_by: stage.tag }, ...fields };
  return { thread_id: (await stage.need('createThread', { body })).text('/id') };
}
