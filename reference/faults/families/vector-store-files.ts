import { forgetContent, ignoreQuery, setInResponse, skipDeletion } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

export const faults: readonly Fault[] = [
  {
    id: 'vector-store-files-filter-ignored',
    says: 'ignores filter when listing files',
    requirement: 'listVectorStoreFiles.page.filter',
    on: ['listVectorStoreFiles'],
    does: ignoreQuery('filter'),
  },
  {
    id: 'vector-store-files-removal-deletes',
    says: 'removing a file from a vector store also deletes the file',
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
    id: 'vector-store-files-removal-drops-content',
    says: 'removing a file from a vector store makes its content unavailable',
    requirement: 'vector-store-files.delete.keeps-content',
    on: ['deleteVectorStoreFile', 'retrieveFileContent'],
    does: forgetContent(),
  },
  {
    id: 'vector-store-files-removal-without-effect',
    says: 'removals are confirmed but the file stays in the vector store',
    requirement: 'vector-store-files.delete.gone-from-retrieve',
    on: ['deleteVectorStoreFile'],
    does: skipDeletion('retrieveVectorStoreFile', 'vector_store.file.deleted'),
  },
  {
    id: 'vector-store-files-another-id',
    says: 'the id of a vector store file differs from that of the file',
    requirement: 'vector-store-files.create.is-the-file',
    on: ['createVectorStoreFile'],
    does: setInResponse('/id', 'file-another'),
  },
  {
    id: 'vector-store-files-error-untold',
    says: 'failed files lack last_error',
    filed: 'ogx-ai/ogx#5565',
    requirement: 'vector-store-files.failed.tells-why',
    on: ['retrieveVectorStoreFile', 'createVectorStoreFile'],
    does: setInResponse('/last_error', null),
  },
  ...listFaults('vector-store-files', 'listVectorStoreFiles', ['has-more', 'before']),
];
