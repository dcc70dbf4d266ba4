import type { Fault } from '../fault.ts';
import { listFaults } from '../lists.ts';
import { ignoreField } from '../requests.ts';
import { setInResponse } from '../responses.ts';
import { resetOtherFields, skipDeletion, skipModification } from '../side-effects.ts';

export const faults: readonly Fault[] = [
  {
    id: 'vector-stores-modify-not-stored',
    says: 'a modification is answered, and not stored',
    requirement: 'vector-stores.retrieve.as-modified',
    on: ['modifyVectorStore'],
    does: skipModification('retrieveVectorStore'),
  },
  {
    id: 'vector-stores-modify-wipes',
    says: 'a modification takes away the metadata that it does not mention',
    requirement: 'vector-stores.modify.keeps-the-rest',
    on: ['modifyVectorStore'],
    does: resetOtherFields({ metadata: {} }),
  },
  {
    id: 'vector-stores-policy-dropped',
    says: 'a store has no policy of expiry, whatever it was given',
    requirement: 'vector-stores.create.keeps-expires-after',
    on: ['createVectorStore'],
    does: ignoreField('expires_after'),
  },
  {
    id: 'vector-stores-files-lost',
    says: 'a store does not have the files that it was created with',
    requirement: 'vector-stores.create.files-are-listed',
    on: ['createVectorStore'],
    does: ignoreField('file_ids'),
  },
  {
    id: 'vector-stores-counts-wrong',
    says: 'a store counts a failed file too many',
    requirement: 'vector-stores.counts.as-listed',
    on: ['retrieveVectorStore'],
    does: setInResponse('/file_counts/failed', (count) => Number(count) + 1),
  },
  {
    id: 'vector-stores-deletion-without-effect',
    says: 'a deletion is answered, and the store stays',
    requirement: 'vector-stores.delete.gone-from-list',
    on: ['deleteVectorStore'],
    does: skipDeletion('retrieveVectorStore', 'vector_store.deleted'),
  },
  ...listFaults('vector-stores', 'listVectorStores', ['limit', 'order-asc']),
];
