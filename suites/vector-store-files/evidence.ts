import { filesInStores, filteredPages, removedFileLookups, statusChanges } from './files.ts';

export const evidence = {
  'file in a store': filesInStores,
  'new status of a stored file': statusChanges,
  'filtered files of a store': filteredPages('listVectorStoreFiles'),
  'call for a removed file': removedFileLookups,
};
