import { storeContents } from './contents.ts';
import { storeTallies } from './tallies.ts';

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
