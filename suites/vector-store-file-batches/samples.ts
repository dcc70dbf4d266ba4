import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { createSampleStore, uploadStoreFiles } from '../vector-stores/samples.ts';

export interface FileBatchPath extends Readonly<Record<string, string>> {
  readonly vector_store_id: string;
  readonly batch_id: string;
}

export interface CreatedFileBatch {
  readonly path: FileBatchPath;
  readonly files: readonly string[];
}

export async function createSampleFileBatch(
  context: ScenarioContext,
  count = 1,
  others: readonly string[] = [],
): Promise<CreatedFileBatch> {
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
