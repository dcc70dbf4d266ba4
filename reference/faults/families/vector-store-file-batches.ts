import { envelopeElements, setAtPointer } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { listFaults } from '../lists.ts';
import { ignoreQuery } from '../requests.ts';
import { changeResponse, cloneJson, setInResponse } from '../responses.ts';

export const faults: readonly Fault[] = [
  {
    id: 'vector-store-file-batches-over-at-once',
    says: 'a new batch is completed already',
    requirement: 'vector-store-file-batches.create.in-progress',
    on: ['createVectorStoreFileBatch'],
    does: setInResponse('/status', 'completed'),
  },
  {
    id: 'vector-store-file-batches-cancel-without-effect',
    says: 'a cancellation is answered, and the batch goes on',
    requirement: 'vector-store-file-batches.cancel.leaves-in-progress',
    on: ['cancelVectorStoreFileBatch'],
    does: {
      handle: async (request, _, ask) =>
        setAtPointer(cloneJson(await ask('retrieveVectorStoreFileBatch', request)), '/status', 'in_progress'),
    },
  },
  {
    id: 'vector-store-file-batches-file-lost',
    says: 'a batch lists one file too few',
    requirement: 'vector-store-file-batches.files.all-listed',
    on: ['listVectorStoreFileBatchFiles'],
    does: changeResponse((answer) => setAtPointer(answer, '/data', envelopeElements(answer).slice(1))),
  },
  {
    id: 'vector-store-file-batches-counts-wrong',
    says: 'a batch counts a completed file too few',
    requirement: 'vector-store-file-batches.counts.as-listed',
    on: ['retrieveVectorStoreFileBatch'],
    does: setInResponse('/file_counts/completed', (count) => Math.max(0, Number(count) - 1)),
  },
  {
    id: 'vector-store-file-batches-filter-ignored',
    says: 'a list of the files in one state has those in all',
    requirement: 'listVectorStoreFileBatchFiles.page.filter',
    on: ['listVectorStoreFileBatchFiles'],
    does: ignoreQuery('filter'),
  },
  {
    id: 'vector-store-file-batches-of-another-store',
    says: 'a batch names another store',
    requirement: 'vector-store-file-batches.object.names-vector-store-id',
    on: ['createVectorStoreFileBatch', 'retrieveVectorStoreFileBatch'],
    does: setInResponse('/vector_store_id', 'vs_another'),
  },
  ...listFaults('vector-store-file-batches', 'listVectorStoreFileBatchFiles', ['limit']),
];
