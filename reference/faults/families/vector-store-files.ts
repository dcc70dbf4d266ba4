import { answerWith } from '../answers.ts';
import { deafToQuery } from '../asking.ts';
import { keeping } from '../deeds.ts';
import type { Fault } from '../fault.ts';
import { listFaults } from '../lists.ts';

export const faults: readonly Fault[] = [
  {
    id: 'vector-store-files-filter-ignored',
    says: 'a list of the files in one state has those in all',
    requirement: 'listVectorStoreFiles.page.filter',
    on: ['listVectorStoreFiles'],
    does: deafToQuery('filter'),
  },
  {
    id: 'vector-store-files-removal-deletes',
    says: 'a file that is removed from a store is deleted, too',
    requirement: 'vector-store-files.delete.keeps-file',
    on: ['deleteVectorStoreFile'],
    does: {
      handle: async (call, proceed, ask) => {
        const answer = await proceed(call);
        await ask('deleteFile', call);
        return answer;
      },
    },
  },
  {
    id: 'vector-store-files-removal-without-effect',
    says: 'a removal is answered, and the file stays in the store',
    requirement: 'vector-store-files.delete.gone-from-retrieve',
    on: ['deleteVectorStoreFile'],
    does: keeping('retrieveVectorStoreFile', 'vector_store.file.deleted'),
  },
  {
    id: 'vector-store-files-another-id',
    says: 'a file has another id in a store',
    requirement: 'vector-store-files.create.is-the-file',
    on: ['createVectorStoreFile'],
    does: answerWith('/id', 'file-another'),
  },
  {
    id: 'vector-store-files-error-untold',
    says: 'a file that failed does not tell why',
    requirement: 'vector-store-files.failed.tells-why',
    on: ['retrieveVectorStoreFile', 'createVectorStoreFile'],
    does: answerWith('/last_error', null),
  },
  ...listFaults('vector-store-files', 'listVectorStoreFiles', ['has-more', 'before']),
];
