import { storeContents } from './contents.ts';
import { storeTallies } from './tallies.ts';

export const evidence = {
  'tally of a store': storeTallies({
    retrieve: 'retrieveVectorStore',
    list: 'listVectorStoreFiles',
    add: ['createVectorStoreFile', 'createVectorStoreFileBatch'],
  }),
  'files of a completed store': storeContents({
    create: 'createVectorStore',
    retrieve: 'retrieveVectorStore',
    list: 'listVectorStoreFiles',
  }),
};
