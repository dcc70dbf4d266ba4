import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { createSampleStore, uploadStoreFiles } from '../vector-stores/samples.ts';

/** Creates a batch of new files in a new store, and returns its path and the files. */
export async function createSampleFileBatch(
  context: ScenarioContext,
  count: number,
  others: readonly string[],
) {
  const [file_ids, vector_store_id] = await Promise.all([
    uploadStoreFiles(context, count),
    createSampleStore(context, others.length === 0 ? {} : { file_ids: others }),
  ]);
  const batch = await context.need('createVectorStoreFileBatch', {
    path: { vector_store_id },
    body: { file_ids },
  });
  return { path: { vector_store_id, batch_id: batch.text('/id') }, files: file_ids };
}
