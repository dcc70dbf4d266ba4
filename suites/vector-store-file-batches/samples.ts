import type { Stage } from '../../drive/scenario.ts';
import { files, store } from '../vector-stores/samples.ts';

/** Ids as they stand in a path. */
export interface BatchPath extends Readonly<Record<string, string>> {
  readonly vector_store_id: string;
  readonly batch_id: string;
}

export interface MadeBatch {
  readonly path: BatchPath;
  readonly files: readonly string[];
}

/** Uploads so many files and adds them to a store of their own, as one batch. */
export async function batch(stage: Stage, count = 1): Promise<MadeBatch> {
  const [file_ids, vector_store_id] = await Promise.all([files(stage, count), store(stage)]);
  const made = await stage.need('createVectorStoreFileBatch', {
    path: { vector_store_id },
    body: { file_ids },
  });
  return { path: { vector_store_id, batch_id: made.text('/id') }, files: file_ids };
}
