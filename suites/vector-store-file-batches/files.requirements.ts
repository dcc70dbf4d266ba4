import { rowOf } from '../rows/rows.ts';
import { byItsStatus, filteredPages, unshown } from '../vector-store-files/files.ts';
import { lacking, miscounted, storeContents, storeTallies, withFiles } from '../vector-stores/stores.ts';
import { where } from '../vocabulary/selectors.ts';

const LIST = 'listVectorStoreFileBatchFiles';
const BATCH = { create: 'createVectorStoreFileBatch', retrieve: 'retrieveVectorStoreFileBatch' };

export const vectorStoreFileBatchesFilesAllListed = rowOf('vector-store-file-batches.files.all-listed', {
  evidence: storeContents({ ...BATCH, list: LIST }),
  check: lacking,
});

export const vectorStoreFileBatchesFilesInStore = rowOf('vector-store-file-batches.files.in-store', {
  evidence: storeContents({ ...BATCH, list: 'listVectorStoreFiles' }),
  check: lacking,
});

export const vectorStoreFileBatchesFilterComplete = rowOf('vector-store-file-batches.filter.complete', {
  evidence: where(filteredPages(LIST), byItsStatus),
  check: unshown,
});

export const vectorStoreFileBatchesCountsAsListed = rowOf('vector-store-file-batches.counts.as-listed', {
  evidence: where(storeTallies({ retrieve: BATCH.retrieve, list: LIST, add: [] }), withFiles),
  check: miscounted,
});
