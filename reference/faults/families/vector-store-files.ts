import type { Fault } from '../fault.ts';
import { listFaults } from '../lists.ts';
import { ignoreQuery } from '../requests.ts';
import { setInResponse } from '../responses.ts';
import { skipDeletion } from '../side-effects.ts';

export const faults: readonly Fault[] = [
  {
    id: 'vector-store-files-filter-ignored',
    says: 'a list of the files in one state has those in all',
    requirement: 'listVectorStoreFiles.page.filter',
    on: ['listVectorStoreFiles'],
    does: ignoreQuery('filter'),
  },
  {
    id: 'vector-store-files-removal-deletes',
    says: 'a file that is removed from a store is deleted, too',
    requirement: 'vector-store-files.delete.keeps-file',
    on: ['deleteVectorStoreFile'],
    does: {
      handle: async (request, proceed, ask) => {
        const answer = await proceed(request);
        await ask('deleteFile', request);
        return answer;
      },
    },
  },
  {
    id: 'vector-store-files-removal-without-effect',
    says: 'a removal is answered, and the file stays in the store',
    requirement: 'vector-store-files.delete.gone-from-retrieve',
    on: ['deleteVectorStoreFile'],
    does: skipDeletion('retrieveVectorStoreFile', 'vector_store.file.deleted'),
  },
  {
    id: 'vector-store-files-another-id',
    says: 'a file has another id in a store',
    requirement: 'vector-store-files.create.is-the-file',
    on: ['createVectorStoreFile'],
    does: setInResponse('/id', 'file-another'),
  },
  {
    id: 'vector-store-files-error-untold',
    says: 'a file that failed does not tell why',
    requirement: 'vector-store-files.failed.tells-why',
    on: ['retrieveVectorStoreFile', 'createVectorStoreFile'],
    does: setInResponse('/last_error', null),
  },
  ...listFaults('vector-store-files', 'listVectorStoreFiles', ['has-more', 'before']),
];
