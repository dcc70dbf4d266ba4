import { checkFiles } from '../files/file-store.ts';
import { ApiError } from '../http/api-error.ts';
import { Collection } from '../state/collection.ts';
import type { Service } from '../state/service.ts';
import { StateProgress } from '../state/transitions.ts';
import {
  addFile,
  countFiles,
  type FileAdvance,
  type FileBatch,
  processFiles,
  type Store,
  type StoreFile,
  stepsAfter,
} from './stores.ts';

/** @throws ApiError 400 for a file that is unknown, repeated or already in the store, if such files are refused. */
export function createFileBatch(service: Service, store: Store, ids: readonly string[]): FileBatch {
  if (service.takes('vector-store-file-batches.create.unknown-file') === 'refused')
    checkFiles(service, ids, 'file_ids');
  const repeatPolicy = service.takes('vector-store-file-batches.create.same-file-twice');
  if (repeatPolicy === 'refused' && new Set(ids).size < ids.length)
    throw ApiError.invalid('file_ids', "'file_ids' names a file twice.");
  const presentPolicy = service.takes('vector-store-file-batches.files.in-store-before');
  const absentIds = ids.filter((id) => store.files.get(id) === undefined);
  if (presentPolicy === 'refused' && absentIds.length < ids.length)
    throw ApiError.invalid('file_ids', 'The vector store already contains one of the files.');
  const batchIds = presentPolicy === 'left out' ? absentIds : ids;
  const distinctIds = new Set(batchIds);
  const files = new Collection<StoreFile>();
  // The batch and the store share their files, so that both show the same status.
  for (const id of distinctIds) {
    if (presentPolicy === 'gets another time') store.files.delete(id);
    files.add(addFile(service, store, id));
  }
  return store.batches.add({
    id: service.id('vsfb_'),
    created_at: service.now(),
    vector_store_id: store.id,
    status: 'in_progress',
    repeats: repeatPolicy === 'twice' ? batchIds.length - distinctIds.size : 0,
    files,
    progress: new StateProgress(service),
  });
}

/** Advances a batch that has not ended, and its files, as far as `how` permits. */
export function processFileBatch(service: Service, batch: FileBatch, how: FileAdvance): void {
  const files = batch.files.values();
  if (batch.status !== 'in_progress' && batch.status !== 'cancelling') return;
  processFiles(service, files, how);
  const steps = stepsAfter(batch.progress, how);
  const counts = countFiles(files);
  // A batch stays in progress until its first step even if its files have ended, so that clients can see it.
  if (steps === 0 || counts.in_progress > 0) return;
  if (batch.status === 'cancelling') batch.status = endOfCancelling(service);
  else batch.status = counts.total > 0 && counts.failed === counts.total ? 'failed' : 'completed';
}

/** Cancels a batch in progress. @throws ApiError if the batch has ended and the service refuses to cancel it then. */
export function cancelFileBatch(service: Service, batch: FileBatch): void {
  processFileBatch(service, batch, 'look');
  const isLate = service.takes('vector-store-file-batches.cancel.in-time') === 'too late';
  if (isLate && batch.status === 'in_progress') processFileBatch(service, batch, 'end');
  if (batch.status === 'cancelling') return;
  if (batch.status !== 'in_progress') {
    if (service.takes('vector-store-file-batches.cancel.too-late') === 'accepted') return;
    throw ApiError.uncancellable(`The file batch is ${batch.status} and can no longer be cancelled.`, isLate);
  }
  batch.status = 'cancelling';
  batch.progress = new StateProgress(service);
  const shownStatus = service.takes('vector-store-file-batches.cancel.answer');
  if (shownStatus !== 'completed') markCancelled(service, batch);
  if (shownStatus === 'cancelling') return;
  processFiles(service, batch.files.values(), 'end');
  batch.status = shownStatus === 'completed' ? 'completed' : 'cancelled';
}

/** Makes `cancelled` the next state of the files in progress: by choice of all, of none, or of all but the first. */
function markCancelled(service: Service, batch: FileBatch): void {
  const endStates = service.takes('vector-store-file-batches.files.of-cancelled');
  const inProgress = batch.files.values().filter(({ status }) => status === 'in_progress');
  const cancelled = endStates === 'completed' ? [] : inProgress.slice(endStates === 'cancelled' ? 0 : 1);
  for (const file of cancelled) file.isCancelling = true;
}

/** Returns the state after `cancelling`, which the specification leaves open. */
function endOfCancelling(service: Service): FileBatch['status'] {
  const end = service.takes('vector-store-file-batches.states.from-cancelling');
  return end === 'completed' || end === 'failed' ? end : 'cancelled';
}

export function showFileBatch({ id, created_at, vector_store_id, status, files, repeats }: FileBatch) {
  const file_counts = countFiles(files.values());
  file_counts.total += repeats;
  // Each repetition is counted with the status of the first file, although it may repeat another one.
  const [first] = files.values();
  if (first !== undefined) file_counts[first.status] += repeats;
  return { id, object: 'vector_store.file_batch', created_at, vector_store_id, status, file_counts };
}
