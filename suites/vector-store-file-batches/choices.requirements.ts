import { choiceOf } from '../rows/rows.ts';
import { filterOf, sumOfCounts } from '../vector-stores/stores.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { arrayAt, numberAt, textAt } from '../vocabulary/json.ts';
import {
  asksList,
  requests,
  responses,
  settled,
  showed,
  successions,
  where,
} from '../vocabulary/selectors.ts';
import { calledBatch, STATUS_OPERATIONS, TERMINAL_STATUSES } from './batches.ts';
import { knownFilesInBatches } from './known-files.ts';

const LIST = 'listVectorStoreFileBatchFiles';
export const fileBatchesPathOtherSpelling = choiceOf('vector-store-file-batches.path.other-spelling', {
  selector: where(
    requests([...STATUS_OPERATIONS, LIST], { elsewhere: true }),
    ({ call }) => call.hasOtherPath,
  ),
  taken: ({ call: { responseClass: outcome } }) => {
    if (outcome === 'accepted') return 'both are served';
    return outcome === 'absent' ? 'only the one that is shown' : null;
  },
});

export const vectorStoreFileBatchesCancelTooLate = choiceOf('vector-store-file-batches.cancel.too-late', {
  selector: where(
    successions({ first: STATUS_OPERATIONS, later: 'cancelVectorStoreFileBatch', about: calledBatch }),
    showed('status', ...TERMINAL_STATUSES),
    settled,
  ),
  taken: outcome('accepted'),
});

export const vectorStoreFileBatchesCountsSum = choiceOf('vector-store-file-batches.counts.sum', {
  selector: responses(STATUS_OPERATIONS),
  taken: ({ answer }) => sumOfCounts(answer),
});

export const vectorStoreFileBatchesCountsAtFirst = choiceOf('vector-store-file-batches.counts.at-first', {
  selector: where(responses('createVectorStoreFileBatch'), asksList('file_ids')),
  taken: ({ asked, answer }) => {
    const total = numberAt(answer, 'file_counts', 'total');
    if (total === new Set(arrayAt(asked, 'file_ids')).size) return 'all of them';
    return total === 0 ? 'none yet' : 'another number';
  },
});

export const vectorStoreFileBatchesFilesOfCancelled = choiceOf(
  'vector-store-file-batches.files.of-cancelled',
  {
    selector: where(
      successions({ first: STATUS_OPERATIONS, later: LIST, about: calledBatch }),
      showed('status', 'cancelled'),
      ({ after }) => filterOf(after) === null,
    ),
    taken: ({ after }) => {
      const states = arrayAt(after.responseJson, 'data').map((file) => textAt(file, 'status') ?? 'none');
      return states.length === 0 ? null : [...new Set(states)].sort().join(', ');
    },
  },
);

export const fileBatchesCreateSameFileTwice = choiceOf('vector-store-file-batches.create.same-file-twice', {
  selector: where(requests('createVectorStoreFileBatch'), settled, ({ asked }) => {
    const ids = arrayAt(asked, 'file_ids');
    return ids.length === 2 && ids[0] === ids[1];
  }),
  taken: ({ call }) => {
    if (call.responseClass !== 'accepted') return 'refused';
    const total = numberAt(call.responseJson, 'file_counts', 'total');
    return total === 1 ? 'once' : total === 2 ? 'twice' : null;
  },
});

export const fileBatchesFilesInStoreBefore = choiceOf('vector-store-file-batches.files.in-store-before', {
  selector: knownFilesInBatches,
  taken: ({ outcome }) => outcome,
});
