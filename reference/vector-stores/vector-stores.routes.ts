// Vector stores, their files and file batches (1 Vector stores). Retrieving a store or a batch also advances its files.
import { checkFile } from '../files/file-store.ts';
import { ApiError, requireObject } from '../http/api-error.ts';
import type { JsonObject } from '../http/json.ts';
import { listEnvelope, listPage } from '../http/list-page.ts';
import { JsonResponse } from '../http/response.ts';
import { type Handler, type HandlerRequest, type Routes, type ServiceRoute, serves } from '../http/route.ts';
import type { Service } from '../state/service.ts';
import { pollAfter } from '../state/transitions.ts';
import { cancelFileBatch, createFileBatch, processFileBatch, showFileBatch } from './file-batches.ts';
import {
  addFile,
  changeStore,
  convertExpiry,
  createStore,
  type FileBatch,
  needFile,
  needLiveStore,
  needStore,
  processFiles,
  type Store,
  type StoreFields,
  showStore,
  showStoreFile,
  storesOf,
} from './stores.ts';

export const routes: Routes = (service) => [
  ...storeRoutes(service),
  ...fileRoutes(service),
  ...batchRoutes(service),
];

const storeRoutes: Routes = (service) => {
  const stores = storesOf(service);
  const need = ({ path }: HandlerRequest<unknown>): Store => needStore(service, path['vector_store_id']);
  const show = (store: Store) => {
    processFiles(service, store.files.values(), 'look');
    return showStore(service, store);
  };
  return [
    {
      ...serves<StoreFields>('createVectorStore', ({ body }) => show(createStore(service, body))),
      prepare: convertExpiry,
    },
    serves('listVectorStores', ({ query }) => listEnvelope(listPage(stores, query), show)),
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
      prepare: convertExpiry,
    },
    serves('deleteVectorStore', (request) => {
      const { id } = need(request);
      stores.delete(id);
      return { id, object: 'vector_store.deleted', deleted: true };
    }),
  ];
};

// Retrieving a file advances it; listing files only applies the transitions that are due by the clock.
const fileRoutes: Routes = (service) => [
  serves<{ readonly file_id: string }>('createVectorStoreFile', ({ path, body }) => {
    const store = needLiveStore(service, path['vector_store_id']);
    if (service.takes('vector-store-files.create.unknown-file') === 'refused')
      checkFile(service, body.file_id, 'file_id');
    if (
      service.takes('vector-store-files.create.again') === 'refused' &&
      store.files.get(body.file_id) !== undefined
    )
      throw ApiError.invalid('file_id', 'The vector store already has this file.');
    const file = addFile(service, store, body.file_id);
    if (service.takes('vector-store-files.states.first') === 'completed')
      processFiles(service, [file], 'end');
    return showStoreFile(file);
  }),
  // `filter` selects by state, after the transitions that are due by the clock.
  serves('listVectorStoreFiles', ({ path, query }) => {
    const { files } = needStore(service, path['vector_store_id']);
    processFiles(service, files.values(), 'look');
    const filter = query['filter'];
    return listEnvelope(
      listPage(files, query, ({ status }) => filter === undefined || status === filter),
      showStoreFile,
    );
  }),
  serves('retrieveVectorStoreFile', ({ path }) => {
    const file = needFile(needStore(service, path['vector_store_id']), path['file_id']);
    processFiles(service, [file], 'read');
    return new JsonResponse(showStoreFile(file), pollAfter(service));
  }),
  serves('deleteVectorStoreFile', ({ path }) => {
    const store = needStore(service, path['vector_store_id']);
    const { id } = needFile(store, path['file_id']);
    store.files.delete(id);
    return { id, object: 'vector_store.file.deleted', deleted: true };
  }),
];

const batchRoutes: Routes = (service) => {
  const need = ({ path }: HandlerRequest<unknown>): { store: Store; batch: FileBatch } => {
    const store = needStore(service, path['vector_store_id']);
    const id = path['batch_id'] ?? '';
    return { store, batch: requireObject(store.batches.get(id), 'file batch in this vector store', id) };
  };
  return [
    ...serveBothPaths<{ readonly file_ids: readonly string[] }>(
      service,
      'createVectorStoreFileBatch',
      ({ path, body }) => {
        const store = needLiveStore(service, path['vector_store_id']);
        return showFileBatch(createFileBatch(service, store, body.file_ids));
      },
    ),
    ...serveBothPaths(service, 'retrieveVectorStoreFileBatch', (request) => {
      const { batch } = need(request);
      processFileBatch(service, batch, 'read');
      return new JsonResponse(showFileBatch(batch), pollAfter(service));
    }),
    ...serveBothPaths(service, 'cancelVectorStoreFileBatch', (request) => {
      const { batch } = need(request);
      cancelFileBatch(service, batch);
      return showFileBatch(batch);
    }),
    ...serveBothPaths(service, 'listVectorStoreFileBatchFiles', (request) => {
      const { store, batch } = need(request);
      processFileBatch(service, batch, 'look');
      const filter = request.query['filter'];
      // A file that was removed from the store is no longer listed, even if it was added again.
      const page = listPage(
        batch.files,
        request.query,
        (file) => store.files.get(file.id) === file && (filter === undefined || file.status === filter),
      );
      return listEnvelope(page, showStoreFile);
    }),
  ];
};

/** Serves a route under both spellings of its path, `file_batches` and `files_batches`, unless a choice limits it. */
function serveBothPaths<Body = JsonObject>(
  service: Service,
  operation: string,
  handle: Handler<Body>,
): readonly ServiceRoute[] {
  const route = serves(operation, handle);
  if (service.takes('vector-store-file-batches.path.other-spelling') !== 'both are served') return [route];
  const otherPath = route.path.includes('/files_batches')
    ? route.path.replace('/files_batches', '/file_batches')
    : route.path.replace('/file_batches', '/files_batches');
  return [route, { ...route, path: otherPath }];
}
