import { storeContents, storeTallies } from './stores.ts';

const storeTally = storeTallies({
  retrieve: 'retrieveVectorStore',
  list: 'listVectorStoreFiles',
  add: ['createVectorStoreFile', 'createVectorStoreFileBatch'],
});

export const evidence = {
  'tally of a store': storeTally,
  'files of a completed store': storeContents({
    create: 'createVectorStore',
    retrieve: 'retrieveVectorStore',
    list: 'listVectorStoreFiles',
  }),
};
