// Vector stores (1 Vector stores). Retrieving one also advances its files; their states and the clock decide its status.
import type { HandlerRequest, Routes } from '../server/handler-request.ts';
import { listEnvelope, listPage } from '../server/list-page.ts';
import { JsonResponse } from '../server/response.ts';
import { serves } from '../server/route.ts';
import { pollAfter } from '../state/state-progress.ts';
import { processFiles } from '../vector-stores/file.ts';
import type { Store } from '../vector-stores/objects.ts';
import {
  changeStore,
  createStore,
  needStore,
  prepareExpiry,
  type StoreFields,
  showStore,
  storesOf,
} from '../vector-stores/store.ts';

/** Routes of vector stores. Both bodies may have the customary form of `expires_after`, see `prepareExpiry`. */
export const routes: Routes = (service) => {
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
