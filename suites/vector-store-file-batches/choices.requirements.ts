import { cancelTimings } from '../generate/cancellations.ts';
import { choiceOf } from '../rows/rows.ts';
import { filterOf, sumOfCounts } from '../vector-stores/stores.ts';
import { fieldValue, outcome } from '../vocabulary/choice-shapes.ts';
import { arrayAt, numberAt, textAt } from '../vocabulary/json.ts';
import {
  asks,
  asksList,
  namesNothingIn,
  requests,
  responses,
  settled,
  showed,
  successions,
  where,
} from '../vocabulary/selectors.ts';
import {
  calledBatch,
  cancellations,
  fileBatchCancellationPlan,
  STATUS_OPERATIONS,
  statusObservations,
  TERMINAL_STATUSES,
} from './batches.ts';

const LIST = 'listVectorStoreFileBatchFiles';
/** Observations of another status than the one before. */
const changes = where(statusObservations, ({ status, before }) => status !== before?.status);

export const vectorStoreFileBatchesObjectKind = choiceOf('vector-store-file-batches.object.kind', {
  selector: responses(STATUS_OPERATIONS),
  taken: fieldValue('object'),
});

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

export const vectorStoreFileBatchesCancelAnswer = choiceOf('vector-store-file-batches.cancel.answer', {
  selector: cancellations,
  taken: ({ cancel }) => textAt(cancel.responseJson, 'status') ?? null,
});

export const vectorStoreFileBatchesCancelInTime = choiceOf('vector-store-file-batches.cancel.in-time', {
  selector: cancelTimings(fileBatchCancellationPlan),
  taken: ({ found }) => found,
});

export const vectorStoreFileBatchesCancelTooLate = choiceOf('vector-store-file-batches.cancel.too-late', {
  selector: where(
    successions({ first: STATUS_OPERATIONS, later: 'cancelVectorStoreFileBatch', about: calledBatch }),
    showed('status', ...TERMINAL_STATUSES),
    settled,
  ),
  taken: outcome('accepted'),
});

export const vectorStoreFileBatchesStatesWay = choiceOf('vector-store-file-batches.states.way', {
  selector: where(changes, ({ before }) => before?.status === 'in_progress'),
  taken: ({ status }) => {
    if (status === 'cancelling' || status === 'cancelled') return null;
    return TERMINAL_STATUSES.includes(status) ? 'straight' : 'by way of another state';
  },
});

export const fileBatchesStatesFromCancelling = choiceOf('vector-store-file-batches.states.from-cancelling', {
  selector: where(changes, ({ before }) => before?.status === 'cancelling'),
  taken: ({ status }) => status,
});

export const vectorStoreFileBatchesStatesFromEnded = choiceOf('vector-store-file-batches.states.from-ended', {
  selector: where(changes, ({ before }) => TERMINAL_STATUSES.includes(before?.status ?? '')),
  taken: ({ status }) => (TERMINAL_STATUSES.includes(status) ? 'another end' : status),
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

export const fileBatchesCreateUnknownFile = choiceOf('vector-store-file-batches.create.unknown-file', {
  selector: where(requests('createVectorStoreFileBatch'), namesNothingIn('body.file_ids[]'), settled),
  taken: outcome('created'),
});

export const vectorStoreFileBatchesCreateNoFiles = choiceOf('vector-store-file-batches.create.no-files', {
  selector: where(requests('createVectorStoreFileBatch'), asks('file_ids', []), settled),
  taken: outcome('created'),
});

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
