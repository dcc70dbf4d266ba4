import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { createSampleStore, uploadStoreFiles } from '../vector-stores/samples.ts';

/** Adds a batch of `count` new files to a new store of `storeFileIds`; returns its path parameters and the new ids. */
export async function createSampleFileBatch(
  context: ScenarioContext,
  count: number,
  storeFileIds: readonly string[],
) {
  const [file_ids, vector_store_id] = await Promise.all([
    uploadStoreFiles(context, count),
    createSampleStore(context, storeFileIds.length === 0 ? {} : { file_ids: storeFileIds }),
  ]);
  const batch = await context.need('createVectorStoreFileBatch', {
    path: { vector_store_id },
    body: { file_ids },
  });
  return { path: { vector_store_id, batch_id: batch.text('/id') }, fileIds: file_ids };
}
