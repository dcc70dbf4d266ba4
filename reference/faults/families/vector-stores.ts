import {
  findUnknown,
  ignoreField,
  resetOtherFields,
  setInResponse,
  skipDeletion,
  skipModification,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

export const faults: readonly Fault[] = [
  {
    id: 'vector-stores-files-outlive',
    says: 'files of deleted vector stores are still retrieved',
    requirement: 'vector-stores.delete.files-gone',
    on: ['retrieveVectorStoreFile'],
    does: findUnknown((id) => ({ id, object: 'vector_store.file' })),
  },
  {
    id: 'vector-stores-modify-not-stored',
    says: 'modifications are answered but not stored',
    requirement: 'vector-stores.retrieve.as-modified',
    on: ['modifyVectorStore'],
    does: skipModification('retrieveVectorStore'),
  },
  {
    id: 'vector-stores-modify-wipes',
    says: 'modifications reset the metadata if they omit it',
    requirement: 'vector-stores.modify.keeps-the-rest',
    on: ['modifyVectorStore'],
    does: resetOtherFields({ metadata: {} }),
  },
  {
    id: 'vector-stores-policy-dropped',
    says: 'vector stores always lack expires_after',
    requirement: 'vector-stores.create.keeps-expires-after',
    on: ['createVectorStore'],
    does: ignoreField('expires_after'),
  },
  {
    id: 'vector-stores-files-lost',
    says: 'ignores the file_ids of a new vector store',
    requirement: 'vector-stores.create.files-are-listed',
    on: ['createVectorStore'],
    does: ignoreField('file_ids'),
  },
  {
    id: 'vector-stores-counts-wrong',
    says: 'file_counts.failed of a vector store is one too high',
    requirement: 'vector-stores.counts.as-listed',
    on: ['retrieveVectorStore'],
    does: setInResponse('/file_counts/failed', (count) => Number(count) + 1),
  },
  {
    id: 'vector-stores-deletion-without-effect',
    says: 'deletions are confirmed but the vector store is kept',
    requirement: 'vector-stores.delete.gone-from-list',
    on: ['deleteVectorStore'],
    does: skipDeletion('retrieveVectorStore', 'vector_store.deleted'),
  },
  ...listFaults('vector-stores', 'listVectorStores', ['limit', 'order-asc']),
];
