import { storeContents } from './stores.ts';

/** The evidence of rows. */
export const evidence = {
  'files of a completed store': storeContents({
    create: 'createVectorStore',
    retrieve: 'retrieveVectorStore',
    list: 'listVectorStoreFiles',
  }),
};
