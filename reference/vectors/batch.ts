import { Collection } from '../collection.ts';
import { checkFiles } from '../file-reference.ts';
import { Progress } from '../progress.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { addFile, countFiles, processFiles, type StoreFile } from './file.ts';
import type { Store } from './store.ts';

/** Files that were put into a store together. */
export interface Batch {
  readonly id: string;
  readonly created_at: number;
  readonly vector_store_id: string;
  status: 'in_progress' | 'completed' | 'cancelling' | 'cancelled' | 'failed';
  readonly files: Collection<StoreFile>;
  progress: Progress;
}

/** @throws Refusal 400 naming the first id that is no file; then nothing is added. */
export function createBatch(service: Service, store: Store, ids: readonly string[]): Batch {
  checkFiles(service, ids, 'file_ids');
  const files = new Collection<StoreFile>();
  for (const id of new Set(ids)) files.add(addFile(service, store, id));
  return store.batches.add({
    id: service.id('vsfb_'),
    created_at: service.now(),
    vector_store_id: store.id,
    status: 'in_progress',
    files,
    progress: new Progress(service),
  });
}

/** @throws Refusal 404 when the store has no such batch. */
export function needBatch(store: Store, id: string | undefined): Batch {
  const batch = store.batches.get(id ?? '');
  if (batch === undefined) throw Refusal.missing('file batch in this vector store', id ?? '');
  return batch;
}

/** Moves a batch and its files on, as `processFiles` does. */
export function processBatch(service: Service, batch: Batch, how: 'read' | 'look'): void {
  const files = batch.files.values();
  if (batch.status !== 'in_progress' && batch.status !== 'cancelling') return;
  processFiles(service, files, how);
  const steps = how === 'read' ? batch.progress.read() : batch.progress.steps;
  const counts = countFiles(files);
  if (steps === 0 || counts.in_progress > 0) return;
  if (batch.status === 'cancelling') batch.status = 'cancelled';
  else batch.status = counts.total > 0 && counts.failed === counts.total ? 'failed' : 'completed';
}

/**
 * Asks for the end of a batch: files under way end cancelled, files that are done stay so.
 * @throws Refusal 400 when the batch has ended.
 */
export function cancelBatch(service: Service, batch: Batch): void {
  processBatch(service, batch, 'look');
  if (batch.status === 'cancelling') return;
  if (batch.status !== 'in_progress') {
    throw Refusal.invalid(null, `The file batch is ${batch.status} and cannot be cancelled any more.`);
  }
  batch.status = 'cancelling';
  batch.progress = new Progress(service);
  for (const file of batch.files.values()) if (file.status === 'in_progress') file.doomed = true;
}

export function showBatch({ id, created_at, vector_store_id, status, files }: Batch) {
  const file_counts = countFiles(files.values());
  return { id, object: 'vector_store.file_batch', created_at, vector_store_id, status, file_counts };
}
