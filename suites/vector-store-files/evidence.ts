import { removedFileLookups, statusChanges } from './files.ts';

export const evidence = {
  'new status of a stored file': statusChanges,
  'call for a removed file': removedFileLookups,
};
