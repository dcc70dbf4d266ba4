import type { Stage } from '../../drive/scenario.ts';
import { assistant } from '../assistants/samples.ts';
import { uploaded } from '../files/samples.ts';

export type Path = Readonly<Record<'assistant_id', string>>;

/** A legacy assistant without files. */
export async function owner(stage: Stage): Promise<Path> {
  return { assistant_id: await assistant(stage, 'v1') };
}

/** Attaches a file of its own; gives the id of the file. */
export async function attached(stage: Stage, path: Readonly<Record<string, string>>): Promise<string> {
  const file_id = await uploaded(stage, 'assistants');
  await stage.need('createAssistantFile', { path, body: { file_id } });
  return file_id;
}
