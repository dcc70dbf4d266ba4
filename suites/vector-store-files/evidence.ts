import { filesInStores, removedFileLookups, statusChanges } from './files.ts';

export const evidence = {
  'file in a store': filesInStores,
  'new status of a stored file': statusChanges,
  'call for a removed file': removedFileLookups,
};
