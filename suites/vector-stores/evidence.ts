import { storeContents } from './stores.ts';

export const evidence = {
  'files of a completed store': storeContents({
    create: 'createVectorStore',
    retrieve: 'retrieveVectorStore',
    list: 'listVectorStoreFiles',
  }),
};
