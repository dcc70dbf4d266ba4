import { storeContents } from './contents.ts';
import { storeTallies } from './tallies.ts';

/** Selectors, by the names that rows of requirements and choices give as `evidence`. */
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
