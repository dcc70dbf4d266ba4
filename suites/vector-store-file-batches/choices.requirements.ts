import { showsExistence } from '../files/file.ts';
import { sumOfCounts } from '../vector-stores/selectors/counts.ts';
import { filterOf } from '../vector-stores/selectors/page.ts';
import { fieldValue, outcome } from '../vocabulary/choice-shapes.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, successions, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import { cancellations } from './cancellations.ts';
import {
  calledBatch,
  STATUS_OPERATIONS,
  statusObservations,
  TERMINAL_STATUSES,
} from './status-observations.ts';

const { choice } = section('1 Vector store file batch');
const ENDPOINTS = '1 Vector store file batches';
const LIST = 'listVectorStoreFileBatchFiles';

export const vectorStoreFileBatchesObjectKind = choice('vector-store-file-batches.object.kind', {
  says: 'How the kind of a batch is spelled.',
  alternatives: ['vector_store.file_batch', 'vector_store.files_batch'],
  selector: responses(STATUS_OPERATIONS),
  taken: fieldValue('object'),
});

export const fileBatchesPathOtherSpelling = choice('vector-store-file-batches.path.other-spelling', {
  spec: ENDPOINTS,
  says: 'Whether file_batches and files_batches in a path are as good as each other.',
  alternatives: ['both are served', 'only the one that is shown'],
  selector: where(
    requests([...STATUS_OPERATIONS, LIST], { elsewhere: true }),
    ({ call }) => call.hasOtherPath,
  ),
  taken: ({ call: { responseClass: outcome } }) => {
    if (outcome === 'accepted') return 'both are served';
    return outcome === 'absent' ? 'only the one that is shown' : null;
  },
});

export const vectorStoreFileBatchesCancelAnswer = choice('vector-store-file-batches.cancel.answer', {
  says: 'The state of a batch in progress in the response to its cancellation.',
  alternatives: ['cancelling', 'cancelled', 'completed'],
  selector: cancellations(),
  taken: ({ cancel }) => textAt(cancel.responseJson, 'status') ?? null,
});

export const vectorStoreFileBatchesCancelTooLate = choice('vector-store-file-batches.cancel.too-late', {
  spec: ENDPOINTS,
  says: 'The response to the cancellation of a batch that has ended.',
  alternatives: ['refused', 'accepted'],
  selector: where(
    successions({ first: STATUS_OPERATIONS, later: 'cancelVectorStoreFileBatch', about: calledBatch }),
    ({ before, after }) =>
      TERMINAL_STATUSES.includes(textAt(before.responseJson, 'status') ?? '') && showsExistence(after),
  ),
  taken: outcome('accepted'),
});

export const vectorStoreFileBatchesStatesWay = choice('vector-store-file-batches.states.way', {
  says: 'Whether a batch that no request cancels goes from in_progress straight to an end.',
  alternatives: ['straight', 'by way of another state'],
  selector: where(statusObservations(), ({ before }) => before?.status === 'in_progress'),
  taken: ({ status }) => {
    if (status === 'in_progress' || status === 'cancelling' || status === 'cancelled') return null;
    return TERMINAL_STATUSES.includes(status) ? 'straight' : 'by way of another state';
  },
});

export const fileBatchesStatesFromCancelling = choice('vector-store-file-batches.states.from-cancelling', {
  says: 'Which state of a batch follows cancelling.',
  alternatives: ['cancelled', 'completed', 'failed'],
  selector: where(statusObservations(), ({ before }) => before?.status === 'cancelling'),
  taken: ({ status }) => (status === 'cancelling' ? null : status),
});

export const vectorStoreFileBatchesStatesFromEnded = choice('vector-store-file-batches.states.from-ended', {
  says: 'Which state of a batch follows one in which it had ended.',
  alternatives: ['cancelling', 'another end'],
  selector: where(statusObservations(), ({ before }) => TERMINAL_STATUSES.includes(before?.status ?? '')),
  taken: ({ status, before }) => {
    if (status === before?.status) return null;
    return TERMINAL_STATUSES.includes(status) ? 'another end' : status;
  },
});

export const vectorStoreFileBatchesCountsSum = choice('vector-store-file-batches.counts.sum', {
  says: 'Whether the total of a batch’s files is the sum of the other counts.',
  alternatives: ['the sum', 'another number'],
  selector: responses(STATUS_OPERATIONS),
  taken: ({ answer }) => sumOfCounts(answer),
});

export const vectorStoreFileBatchesCountsAtFirst = choice('vector-store-file-batches.counts.at-first', {
  says: 'Whether a new batch counts all its files at once.',
  alternatives: ['all of them', 'none yet'],
  selector: where(
    responses('createVectorStoreFileBatch'),
    ({ asked }) => arrayAt(asked, 'file_ids').length > 0,
  ),
  taken: ({ asked, answer }) => {
    const total = numberAt(answer, 'file_counts', 'total');
    if (total === new Set(arrayAt(asked, 'file_ids')).size) return 'all of them';
    return total === 0 ? 'none yet' : 'another number';
  },
});

export const vectorStoreFileBatchesFilesOfCancelled = choice('vector-store-file-batches.files.of-cancelled', {
  says: 'In which states the files of a cancelled batch are.',
  alternatives: ['cancelled', 'completed', 'cancelled, completed'],
  selector: where(
    successions({ first: STATUS_OPERATIONS, later: LIST, about: calledBatch }),
    ({ before, after }) => textAt(before.responseJson, 'status') === 'cancelled' && filterOf(after) === null,
  ),
  taken: ({ after }) => {
    const states = arrayAt(after.responseJson, 'data').map((file) => textAt(file, 'status') ?? 'none');
    return states.length === 0 ? null : [...new Set(states)].sort().join(', ');
  },
});

export const fileBatchesCreateUnknownFile = choice('vector-store-file-batches.create.unknown-file', {
  spec: ENDPOINTS,
  says: 'Whether a batch is created with a file that does not exist.',
  alternatives: ['refused', 'created'],
  selector: where(requests('createVectorStoreFileBatch'), ({ call }) => {
    const { probe } = call.exchange;
    return probe?.pointer === 'body.file_ids[]' && probe.keyword === 'unknown' && showsExistence(call);
  }),
  taken: outcome('created'),
});

export const vectorStoreFileBatchesCreateNoFiles = choice('vector-store-file-batches.create.no-files', {
  spec: ENDPOINTS,
  says: 'Whether a batch is created of no files at all.',
  alternatives: ['refused', 'created'],
  selector: where(requests('createVectorStoreFileBatch'), ({ call, asked }) => {
    const ids = valueAtPath(asked, 'file_ids');
    return showsExistence(call) && Array.isArray(ids) && ids.length === 0;
  }),
  taken: outcome('created'),
});

export const fileBatchesCreateSameFileTwice = choice('vector-store-file-batches.create.same-file-twice', {
  spec: ENDPOINTS,
  says: 'How a batch counts a file that it was given twice.',
  alternatives: ['once', 'twice', 'refused'],
  selector: where(requests('createVectorStoreFileBatch'), ({ call, asked }) => {
    const ids = arrayAt(asked, 'file_ids');
    return showsExistence(call) && ids.length === 2 && ids[0] === ids[1];
  }),
  taken: ({ call }) => {
    if (call.responseClass !== 'accepted') return 'refused';
    const total = numberAt(call.responseJson, 'file_counts', 'total');
    return total === 1 ? 'once' : total === 2 ? 'twice' : null;
  },
});
