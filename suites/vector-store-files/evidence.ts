import { filteredPages } from './filtered-pages.ts';
import { removedFileLookups } from './removed-files.ts';
import { filesInStores, statusChanges } from './statuses.ts';

export const evidence = {
  'file in a store': filesInStores,
  'new status of a stored file': statusChanges,
  'filtered files of a store': filteredPages('listVectorStoreFiles'),
  'call for a removed file': removedFileLookups,
};
