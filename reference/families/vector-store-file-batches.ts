// File batches of vector stores (1 File batches). Retrieving one advances its files first, then the batch.
import type { Handler, HandlerRequest, Routes, ServiceRoute } from '../server/handler-request.ts';
import type { JsonObject } from '../server/json.ts';
import { listEnvelope, listPage } from '../server/list-page.ts';
import { JsonResponse } from '../server/response.ts';
import { serves } from '../server/route.ts';
import type { Service } from '../state/service.ts';
import { pollAfter } from '../state/state-progress.ts';
import {
  cancelFileBatch,
  createFileBatch,
  needFileBatch,
  processFileBatch,
  showFileBatch,
} from '../vector-stores/batch.ts';
import { showStoreFile } from '../vector-stores/file.ts';
import type { FileBatch, Store } from '../vector-stores/objects.ts';
import { needLiveStore, needStore } from '../vector-stores/store.ts';

/** Routes of file batches, each under two paths. */
export const routes: Routes = (service) => {
  /** The store and the batch that a path names. Throws ApiError 404 when one of them does not exist. */
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
    // Files that are completed stay completed.
    ...bothWays(service, 'cancelVectorStoreFileBatch', (request) => {
      const { batch } = need(request);
      cancelFileBatch(service, batch);
      return showFileBatch(batch);
    }),
    ...bothWays(service, 'listVectorStoreFileBatchFiles', (request) => {
      const { store, batch } = need(request);
      processFileBatch(service, batch, 'look');
      const wanted = request.query['filter'];
      // A file that was removed from the store, or added to it again, is not in the batch any more.
      const found = listPage(
        batch.files,
        request.query,
        (file) => store.files.get(file.id) === file && (wanted === undefined || file.status === wanted),
      );
      return listEnvelope(found, showStoreFile);
    }),
  ];
};

/** The creation of a batch; all files are checked before the first is added. */
function createRoutes(service: Service): readonly ServiceRoute[] {
  const operation = 'createVectorStoreFileBatch';
  return bothWays<{ readonly file_ids: readonly string[] }>(service, operation, ({ path, body }) => {
    const store = needLiveStore(service, path['vector_store_id']);
    return showFileBatch(createFileBatch(service, store, body.file_ids));
  });
}

/** A route under both spellings: the specification has `file_batches` and `files_batches`, and clients use either. */
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
