import {
  changeResponse,
  cloneJson,
  envelopeElements,
  ignoreQuery,
  setAtPointer,
  setInResponse,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

export const faults: readonly Fault[] = [
  {
    id: 'vector-store-file-batches-over-at-once',
    says: 'new file batches are completed',
    requirement: 'vector-store-file-batches.create.in-progress',
    on: ['createVectorStoreFileBatch'],
    does: setInResponse('/status', 'completed'),
  },
  {
    id: 'vector-store-file-batches-cancel-without-effect',
    says: 'cancellations are answered but the batch continues',
    requirement: 'vector-store-file-batches.cancel.leaves-in-progress',
    on: ['cancelVectorStoreFileBatch'],
    does: {
      handle: async (request, _, ask) =>
        setAtPointer(cloneJson(await ask('retrieveVectorStoreFileBatch', request)), '/status', 'in_progress'),
    },
  },
  {
    id: 'vector-store-file-batches-file-lost',
    says: 'lists of the files of a batch lack one file',
    requirement: 'vector-store-file-batches.files.all-listed',
    on: ['listVectorStoreFileBatchFiles'],
    does: changeResponse((answer) => setAtPointer(answer, '/data', envelopeElements(answer).slice(1))),
  },
  {
    id: 'vector-store-file-batches-counts-wrong',
    says: 'file_counts.completed of a batch is one too low',
    requirement: 'vector-store-file-batches.counts.as-listed',
    on: ['retrieveVectorStoreFileBatch'],
    does: setInResponse('/file_counts/completed', (count) => Math.max(0, Number(count) - 1)),
  },
  {
    id: 'vector-store-file-batches-filter-ignored',
    says: 'ignores filter when listing files',
    requirement: 'listVectorStoreFileBatchFiles.page.filter',
    on: ['listVectorStoreFileBatchFiles'],
    does: ignoreQuery('filter'),
  },
  {
    id: 'vector-store-file-batches-of-another-store',
    says: 'file batches have the id of another vector store',
    requirement: 'vector-store-file-batches.object.names-vector-store-id',
    on: ['createVectorStoreFileBatch', 'retrieveVectorStoreFileBatch'],
    does: setInResponse('/vector_store_id', 'vs_another'),
  },
  ...listFaults('vector-store-file-batches', 'listVectorStoreFileBatchFiles', ['limit']),
];
