import { checkFiles } from '../files/file-reference.ts';
import { ApiError } from '../server/api-error.ts';
import { Collection } from '../state/collection.ts';
import type { Service } from '../state/service.ts';
import { StateProgress } from '../state/state-progress.ts';
import { addFile, countFiles, processFiles } from './file.ts';
import type { FileBatch, Store, StoreFile } from './objects.ts';

/** Adds files to a store as a batch. @throws ApiError 400 naming the first unknown file; then nothing is added. */
export function createFileBatch(service: Service, store: Store, ids: readonly string[]): FileBatch {
  if (service.takes('vector-store-file-batches.create.unknown-file') === 'refused')
    checkFiles(service, ids, 'file_ids');
  const twice = ids.length - new Set(ids).size;
  const repeats = service.takes('vector-store-file-batches.create.same-file-twice');
  if (twice > 0 && repeats === 'refused')
    throw ApiError.invalid('file_ids', "'file_ids' names a file twice.");
  const files = new Collection<StoreFile>();
  // The same object as in the store, so that both show one state.
  for (const id of new Set(ids)) files.add(addFile(service, store, id));
  return store.batches.add({
    id: service.id('vsfb_'),
    created_at: service.now(),
    vector_store_id: store.id,
    status: 'in_progress',
    repeats: repeats === 'twice' ? twice : 0,
    files,
    progress: new StateProgress(service),
  });
}

/** @throws ApiError 404 when the store has no such batch. */
export function needFileBatch(store: Store, id: string | undefined): FileBatch {
  const batch = store.batches.get(id ?? '');
  if (batch === undefined) throw ApiError.missing('file batch in this vector store', id ?? '');
  return batch;
}

/** Advances the files of a batch as `processFiles` does; the batch ends after its files. */
export function processFileBatch(service: Service, batch: FileBatch, how: 'read' | 'look'): void {
  const files = batch.files.values();
  if (batch.status !== 'in_progress' && batch.status !== 'cancelling') return;
  processFiles(service, files, how);
  const steps = how === 'read' ? batch.progress.read() : batch.progress.steps;
  const counts = countFiles(files);
  // A batch ends one reading after its files at the earliest, so that clients can see it in progress.
  if (steps === 0 || counts.in_progress > 0) return;
  if (batch.status === 'cancelling') batch.status = endOfCancelling(service);
  else batch.status = counts.total > 0 && counts.failed === counts.total ? 'failed' : 'completed';
}

/**
 * Requests the cancellation of a batch: files in progress end as cancelled, the others keep their state.
 * @throws ApiError 400 when the batch has ended.
 */
export function cancelFileBatch(service: Service, batch: FileBatch): void {
  processFileBatch(service, batch, 'look');
  if (batch.status === 'cancelling') return;
  if (batch.status !== 'in_progress') {
    if (service.takes('vector-store-file-batches.cancel.too-late') === 'accepted') return;
    throw ApiError.invalid(null, `The file batch is ${batch.status} and cannot be cancelled any more.`);
  }
  batch.status = 'cancelling';
  batch.progress = new StateProgress(service);
  const answered = service.takes('vector-store-file-batches.cancel.answer');
  if (answered !== 'completed') doom(service, batch);
  if (answered === 'cancelling') return;
  processFiles(service, batch.files.values(), 'read');
  batch.status = answered === 'completed' ? 'completed' : 'cancelled';
}

/** Files in progress end as cancelled, unless the service completes all or the first of them. */
function doom(service: Service, batch: FileBatch): void {
  const ends = service.takes('vector-store-file-batches.files.of-cancelled');
  const working = batch.files.values().filter(({ status }) => status === 'in_progress');
  const doomed = ends === 'completed' ? [] : working.slice(ends === 'cancelled' ? 0 : 1);
  for (const file of doomed) file.doomed = true;
}

/** The state after `cancelling`, which the specification leaves open. */
function endOfCancelling(service: Service): FileBatch['status'] {
  const end = service.takes('vector-store-file-batches.states.from-cancelling');
  return end === 'completed' || end === 'failed' ? end : 'cancelled';
}

/** A file batch as its response shows it (1 File batch object). */
export function showFileBatch({ id, created_at, vector_store_id, status, files, repeats }: FileBatch) {
  const file_counts = countFiles(files.values());
  file_counts.total += repeats;
  // A file that was given twice is counted twice in the state that it has.
  const [first] = files.values();
  if (first !== undefined) file_counts[first.status] += repeats;
  return { id, object: 'vector_store.file_batch', created_at, vector_store_id, status, file_counts };
}
