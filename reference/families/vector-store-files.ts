// Files of vector stores (1 Vector store files). Retrieving a file advances it; listing only lets time pass.
import { checkFile } from '../files/file-reference.ts';
import { ApiError } from '../server/api-error.ts';
import type { Routes } from '../server/handler-request.ts';
import { listEnvelope, listPage } from '../server/list-page.ts';
import { JsonResponse } from '../server/response.ts';
import { serves } from '../server/route.ts';
import { pollAfter } from '../state/state-progress.ts';
import { addFile, needFile, processFiles, showStoreFile } from '../vector-stores/file.ts';
import { needLiveStore, needStore } from '../vector-stores/store.ts';

/** Routes of vector store files. */
export const routes: Routes = (service) => [
  // An expired store accepts no files; a file that is in the store already is returned as it is.
  serves<{ readonly file_id: string }>('createVectorStoreFile', ({ path, body }) => {
    const store = needLiveStore(service, path['vector_store_id']);
    if (service.takes('vector-store-files.create.unknown-file') === 'refused')
      checkFile(service, body.file_id, 'file_id');
    if (
      service.takes('vector-store-files.create.again') === 'refused' &&
      store.files.get(body.file_id) !== undefined
    )
      throw ApiError.invalid('file_id', 'The vector store has this file already.');
    const file = addFile(service, store, body.file_id);
    if (service.takes('vector-store-files.states.first') === 'completed')
      processFiles(service, [file], 'read');
    return showStoreFile(file);
  }),
  // `filter` selects by state, after time has passed.
  serves('listVectorStoreFiles', ({ path, query }) => {
    const { files } = needStore(service, path['vector_store_id']);
    processFiles(service, files.values(), 'look');
    const wanted = query['filter'];
    return listEnvelope(
      listPage(files, query, ({ status }) => wanted === undefined || status === wanted),
      showStoreFile,
    );
  }),
  // Counts as a retrieval, like retrieving the store or a batch of the file.
  serves('retrieveVectorStoreFile', ({ path }) => {
    const file = needFile(needStore(service, path['vector_store_id']), path['file_id']);
    processFiles(service, [file], 'read');
    return new JsonResponse(showStoreFile(file), pollAfter(service));
  }),
  // Removes the file from the store; the file itself stays.
  serves('deleteVectorStoreFile', ({ path }) => {
    const store = needStore(service, path['vector_store_id']);
    const { id } = needFile(store, path['file_id']);
    store.files.delete(id);
    return { id, object: 'vector_store.file.deleted', deleted: true };
  }),
];
