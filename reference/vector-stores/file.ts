import { filesOf } from '../files/file-store.ts';
import { ApiError } from '../server/api-error.ts';
import type { Service } from '../state/service.ts';
import { StateProgress } from '../state/state-progress.ts';
import type { FileCounts, Store, StoreFile } from './objects.ts';

/** File name extensions of files without text. */
const unreadable = /\.(png|jpe?g|gif|webp|bmp|mp3|mp4|wav|ogg|webm|zip|gz|exe|bin)$/i;

/** Adds a file, which must exist, to a store. A file that is in the store already stays as it is. */
export function addFile(service: Service, store: Store, id: string): StoreFile {
  const known = store.files.get(id);
  if (known !== undefined) return known;
  store.last_active_at = service.now();
  return store.files.add({
    id,
    created_at: service.now(),
    vector_store_id: store.id,
    status: 'in_progress',
    usage_bytes: 0,
    last_error: null,
    doomed: false,
    progress: new StateProgress(service),
  });
}

/** @throws ApiError 404 when the store has no such file. */
export function needFile(store: Store, id: string | undefined): StoreFile {
  const file = store.files.get(id ?? '');
  if (file === undefined) throw ApiError.missing('file in this vector store', id ?? '');
  return file;
}

/** Advances files: `read` counts as a retrieval, `look` lets only time pass. */
export function processFiles(service: Service, files: readonly StoreFile[], how: 'read' | 'look'): void {
  for (const file of files) {
    if (file.status !== 'in_progress') continue;
    const steps = how === 'read' ? file.progress.read() : file.progress.steps;
    if (steps > 0) end(service, file);
  }
}

/** Counts files by state. */
export function countFiles(files: readonly StoreFile[]): FileCounts {
  const counts = { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: files.length };
  for (const { status } of files) counts[status] += 1;
  return counts;
}

/** A vector store file as its response shows it. */
export function showStoreFile({ doomed: _, progress: __, ...file }: StoreFile) {
  return { ...file, object: 'vector_store.file' };
}

/** in_progress → completed, cancelled or failed. */
function end(service: Service, file: StoreFile): void {
  // Looked up now and not when it was added: the file may have been deleted meanwhile.
  const source = filesOf(service).get(file.id);
  if (file.doomed) file.status = 'cancelled';
  else if (source === undefined) fail(file, 'invalid_file', 'The file was deleted before it was processed.');
  else if (source.bytes === 0) fail(file, 'invalid_file', 'The file is empty.');
  else if (unreadable.test(source.filename))
    fail(file, 'unsupported_file', 'The file holds no text to search.');
  else {
    file.status = 'completed';
    // An index takes other space than its file.
    const isAlike = service.takes('vector-store-files.usage.size') === 'as many';
    file.usage_bytes = isAlike ? source.bytes : source.bytes * 2 + 64;
  }
}

/** Ends a file with the reason that clients see in `last_error`. */
function fail(file: StoreFile, code: string, message: string): void {
  file.status = 'failed';
  file.last_error = { code, message };
}
