import { Answer } from '../answer.ts';
import type { Call, Routes } from '../call.ts';
import { envelope, page } from '../list.ts';
import { pollAfter } from '../progress.ts';
import { serves } from '../route.ts';
import { processFiles } from '../vectors/file.ts';
import {
  changeStore,
  createStore,
  needStore,
  prepareExpiry,
  type Store,
  type StoreFields,
  showStore,
  storesOf,
} from '../vectors/store.ts';

export const routes: Routes = (service) => {
  const stores = storesOf(service);
  const need = ({ path }: Call<unknown>): Store => needStore(service, path['vector_store_id']);
  const show = (store: Store) => {
    processFiles(service, store.files.values(), 'look');
    return showStore(service, store);
  };
  return [
    {
      ...serves<StoreFields>('createVectorStore', ({ body }) => show(createStore(service, body))),
      prepare: prepareExpiry,
    },
    serves('listVectorStores', ({ query }) => envelope(page(stores, query), show)),
    serves('retrieveVectorStore', (call) => {
      const store = need(call);
      processFiles(service, store.files.values(), 'read');
      return new Answer(showStore(service, store), pollAfter(service));
    }),
    {
      ...serves<StoreFields>('modifyVectorStore', (call) => {
        const store = need(call);
        changeStore(store, call.body);
        return show(store);
      }),
      prepare: prepareExpiry,
    },
    serves('deleteVectorStore', (call) => {
      const { id } = need(call);
      stores.delete(id);
      return { id, object: 'vector_store.deleted', deleted: true };
    }),
  ];
};
