import type { Stage } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { uploaded } from '../files/samples.ts';

/** Makes a vector store that is named after the run; gives back its id. */
export async function store(stage: Stage, fields: Readonly<Record<string, Json>> = {}): Promise<string> {
  const body = { name: stage.tag, ...fields };
  return (await stage.need('createVectorStore', { body })).text('/id');
}

/** Uploads so many files that a store can take; gives back their ids. */
export function files(stage: Stage, count: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: count }, () => uploaded(stage, 'assistants')));
}

/** Long enough that nothing expires under way. */
export const DAY = 86_400;
