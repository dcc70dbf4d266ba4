import { cancelTimings } from '../generate/cancellations.ts';
import { filteredPages } from '../vector-store-files/filtered-pages.ts';
import { storeContents } from '../vector-stores/contents.ts';
import { storeTallies } from '../vector-stores/tallies.ts';
import { cancellations, fileBatchCancellationPlan, statusObservations } from './batches.ts';

const LIST = 'listVectorStoreFileBatchFiles';
const BATCH = { create: 'createVectorStoreFileBatch', retrieve: 'retrieveVectorStoreFileBatch' };

export const evidence = {
  'files of a completed file batch': storeContents({ ...BATCH, list: LIST }),
  'files of a completed file batch in its store': storeContents({ ...BATCH, list: 'listVectorStoreFiles' }),
  'tally of a file batch': storeTallies({ retrieve: BATCH.retrieve, list: LIST, add: [] }),
  'filtered files of a file batch': filteredPages(LIST),
  'cancelled file batch': cancellations,
  'timing of a cancelled file batch': cancelTimings(fileBatchCancellationPlan),
  'status of a file batch': statusObservations,
};
