// Vector stores (1 Vector stores). Retrieving one also advances its files; their states and the clock decide its status.

import { checkFile } from '../files/file-store.ts';
import { ApiError } from '../http/api-error.ts';
import type { JsonObject } from '../http/json.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { JsonResponse } from '../http/response.ts';
import { type Handler, type HandlerRequest, type Routes, type ServiceRoute, serves } from '../http/route.ts';
import { pollAfter, type Service } from '../state/service.ts';
import {
  addFile,
  cancelFileBatch,
  changeStore,
  createFileBatch,
  createStore,
  type FileBatch,
  needFile,
  needFileBatch,
  needLiveStore,
  needStore,
  prepareExpiry,
  processFileBatch,
  processFiles,
  type Store,
  type StoreFields,
  showFileBatch,
  showStore,
  showStoreFile,
  storesOf,
} from './store.ts';

const storeRoutes: Routes = (service) => {
  const stores = storesOf(service);
  const need = ({ path }: HandlerRequest<unknown>): Store => needStore(service, path['vector_store_id']);
  /** A store with the status of its files at this moment; time may have passed since the last request. */
  const show = (store: Store) => {
    processFiles(service, store.files.values(), 'look');
    return showStore(service, store);
  };
  return [
    {
      ...serves<StoreFields>('createVectorStore', ({ body }) => show(createStore(service, body))),
      prepare: prepareExpiry,
    },
    // Lists do not advance files.
    serves('listVectorStores', ({ query }) => listEnvelope(listPage(stores, query), show)),
    // Advances the files before the counts are taken.
    serves('retrieveVectorStore', (request) => {
      const store = need(request);
      processFiles(service, store.files.values(), 'read');
      return new JsonResponse(showStore(service, store), pollAfter(service));
    }),
    {
      ...serves<StoreFields>('modifyVectorStore', (request) => {
        const store = need(request);
        // An expired store can be modified: a longer expiry makes it usable again.
        changeStore(store, request.body);
        return show(store);
      }),
      prepare: prepareExpiry,
    },
    // The files themselves are not deleted.
    serves('deleteVectorStore', (request) => {
      const { id } = need(request);
      stores.delete(id);
      return { id, object: 'vector_store.deleted', deleted: true };
    }),
  ];
};

// Files of vector stores (1 Vector store files). Retrieving a file advances it; listing only lets time pass.

const fileRoutes: Routes = (service) => [
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

// File batches of vector stores (1 File batches). Retrieving one advances its files first, then the batch.

const batchRoutes: Routes = (service) => {
  const need = ({ path }: HandlerRequest<unknown>): { store: Store; batch: FileBatch } => {
    const store = needStore(service, path['vector_store_id']);
    return { store, batch: needFileBatch(store, path['batch_id']) };
  };
  return [
    ...createRoutes(service),
    ...bothWays(service, 'retrieveVectorStoreFileBatch', (request) => {
      const { batch } = need(request);
      processFileBatch(service, batch, 'read');
      return new JsonResponse(showFileBatch(batch), pollAfter(service));
    }),
    ...bothWays(service, 'cancelVectorStoreFileBatch', (request) => {
      const { batch } = need(request);
      cancelFileBatch(service, batch);
      return showFileBatch(batch);
    }),
    ...bothWays(service, 'listVectorStoreFileBatchFiles', (request) => {
      const { store, batch } = need(request);
      processFileBatch(service, batch, 'look');
      const wanted = request.query['filter'];
      // A file that was removed from the store, or added again, is no longer in the batch.
      const found = listPage(
        batch.files,
        request.query,
        (file) => store.files.get(file.id) === file && (wanted === undefined || file.status === wanted),
      );
      return listEnvelope(found, showStoreFile);
    }),
  ];
};

function createRoutes(service: Service): readonly ServiceRoute[] {
  const operation = 'createVectorStoreFileBatch';
  return bothWays<{ readonly file_ids: readonly string[] }>(service, operation, ({ path, body }) => {
    const store = needLiveStore(service, path['vector_store_id']);
    return showFileBatch(createFileBatch(service, store, body.file_ids));
  });
}

/** A route under both spellings of its path, `file_batches` and `files_batches`: clients use either. */
function bothWays<Body = JsonObject>(
  service: Service,
  operation: string,
  handle: Handler<Body>,
): readonly ServiceRoute[] {
  const route = serves(operation, handle);
  if (service.takes('vector-store-file-batches.path.other-spelling') !== 'both are served') return [route];
  const other = route.path.includes('/files_batches')
    ? route.path.replace('/files_batches', '/file_batches')
    : route.path.replace('/file_batches', '/files_batches');
  return [route, { ...route, path: other }];
}

export const routes: Routes = (service) => [
  ...storeRoutes(service),
  ...fileRoutes(service),
  ...batchRoutes(service),
];
