import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { createSampleStore, uploadStoreFiles } from '../vector-stores/samples.ts';

export async function addFileToStore(context: ScenarioContext) {
  const [[file_id = ''], vector_store_id] = await Promise.all([
    uploadStoreFiles(context, 1),
    createSampleStore(context),
  ]);
  await context.need('createVectorStoreFile', { path: { vector_store_id }, body: { file_id } });
  return { vector_store_id, file_id };
}
