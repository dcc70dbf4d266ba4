import { Answer } from '../answer.ts';
import type { Call, Handler, Route, Routes } from '../call.ts';
import type { JsonObject } from '../json.ts';
import { envelope, page } from '../list.ts';
import { pollAfter } from '../progress.ts';
import { serves } from '../route.ts';
import {
  type Batch,
  cancelBatch,
  createBatch,
  needBatch,
  processBatch,
  showBatch,
} from '../vectors/batch.ts';
import { showStoreFile } from '../vectors/file.ts';
import { needLiveStore, needStore, type Store } from '../vectors/store.ts';

export const routes: Routes = (service) => {
  const need = ({ path }: Call<unknown>): { store: Store; batch: Batch } => {
    const store = needStore(service, path['vector_store_id']);
    return { store, batch: needBatch(store, path['batch_id']) };
  };
  return [
    ...bothWays<{ readonly file_ids: readonly string[] }>('createVectorStoreFileBatch', ({ path, body }) =>
      showBatch(createBatch(service, needLiveStore(service, path['vector_store_id']), body.file_ids)),
    ),
    ...bothWays('retrieveVectorStoreFileBatch', (call) => {
      const { batch } = need(call);
      processBatch(service, batch, 'read');
      return new Answer(showBatch(batch), pollAfter(service));
    }),
    ...bothWays('cancelVectorStoreFileBatch', (call) => {
      const { batch } = need(call);
      cancelBatch(service, batch);
      return showBatch(batch);
    }),
    ...bothWays('listVectorStoreFileBatchFiles', (call) => {
      const { store, batch } = need(call);
      processBatch(service, batch, 'look');
      const wanted = call.query['filter'];
      const found = page(
        batch.files,
        call.query,
        (file) => store.files.get(file.id) === file && (wanted === undefined || file.status === wanted),
      );
      return envelope(found, showStoreFile);
    }),
  ];
};

/** The specification writes `file_batches` in one path and `files_batches` in the others; clients write either. */
function bothWays<Body = JsonObject>(operation: string, handle: Handler<Body>): readonly Route[] {
  const route = serves(operation, handle);
  const other = route.path.includes('/files_batches')
    ? route.path.replace('/files_batches', '/file_batches')
    : route.path.replace('/file_batches', '/files_batches');
  return [route, { ...route, path: other }];
}
