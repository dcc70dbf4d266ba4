import type { Cancellation } from '../generate/cancellations.ts';
import { inTurn } from '../generate/in-turn.ts';
import { withStatusOf as answerStatus, setIn, setValue } from '../vocabulary/changes.ts';
import { textAt } from '../vocabulary/json.ts';
import { responses, showsText, successions, that, where } from '../vocabulary/selectors.ts';
import { fieldIs, section, violation } from '../vocabulary/statements.ts';
import {
  backToInProgress,
  calledBatch,
  cancellations,
  editRetrieved,
  type StatusObservation,
  statusObservations,
} from './batches.ts';

const { stated, implied } = section('1 Vector store file batch');
const ENDPOINTS = '1 Vector store file batches';

export const vectorStoreFileBatchesCancelSameBatch = implied('vector-store-file-batches.cancel.same-batch', {
  spec: ENDPOINTS,
  says: 'The response to a cancellation has the id of the file batch in its request.',
  selector: responses('cancelVectorStoreFileBatch'),
  check: ({ call: { path }, answer }) => [
    ...fieldIs(answer, 'id', path['batch_id']),
    ...fieldIs(answer, 'vector_store_id', path['vector_store_id']),
  ],
  mutations: {
    'another batch': setIn('cancelVectorStoreFileBatch', '/id', 'vsfb_other'),
    'another store': setIn('cancelVectorStoreFileBatch', '/vector_store_id', 'vs_other'),
  },
});

export const vectorStoreFileBatchesCreateInProgress = stated('vector-store-file-batches.create.in-progress', {
  says: 'A new file batch is in progress.',
  selector: responses('createVectorStoreFileBatch'),
  check: ({ answer }) => fieldIs(answer, 'status', 'in_progress'),
  mutations: {
    'cancelled at once': setIn('createVectorStoreFileBatch', '/status', 'cancelled'),
    'being cancelled': setIn('createVectorStoreFileBatch', '/status', 'cancelling'),
    'over at once': setIn('createVectorStoreFileBatch', '/status', 'completed'),
  },
});

const afterItsEnd = that<StatusObservation>(
  'after a status other than in_progress',
  ({ before }) => before !== null && before.status !== 'in_progress',
);

export const vectorStoreFileBatchesStatesNeverBack = implied('vector-store-file-batches.states.never-back', {
  says: 'A file batch that has left in_progress never comes back to it: only its creation leads there.',
  selector: where(statusObservations, afterItsEnd),
  check: ({ status, before }) =>
    status === 'in_progress' ? [violation('/status', `not in_progress after ${before?.status}`, status)] : [],
  mutations: {
    'back in progress': backToInProgress,
    'in progress after the cancellation': editRetrieved('cancelled', setValue('/status', 'in_progress')),
  },
});

export const fileBatchesCancelledOnly = implied('vector-store-file-batches.states.cancelling-by-cancel', {
  says: 'A file batch is cancelling only once it is asked to be cancelled.',
  selector: where(
    successions({
      first: 'createVectorStoreFileBatch',
      later: 'retrieveVectorStoreFileBatch',
      until: ['cancelVectorStoreFileBatch'],
      about: calledBatch,
    }),
    showsText('status'),
  ),
  check: ({ after }) => {
    const actual = textAt(after.responseJson, 'status');
    return actual === 'cancelling' ? [violation('/status', 'another state', actual)] : [];
  },
  mutations: {
    'no request cancelled it': editRetrieved('not cancelled', setValue('/status', 'cancelling')),
    'always cancelling': setIn('retrieveVectorStoreFileBatch', '/status', 'cancelling'),
  },
});

/** Work that ended on its own during the cancellation proves nothing. */
const cancelling = that<Cancellation>('with status in_progress, cancelling or cancelled', ({ cancel }) =>
  ['in_progress', 'cancelling', 'cancelled'].includes(textAt(cancel.responseJson, 'status') ?? ''),
);

export const fileBatchesLeaveInProgress = stated('vector-store-file-batches.cancel.leaves-in-progress', {
  says: 'A file batch in progress that is cancelled is cancelling, or past that: not in progress.',
  selector: where(cancellations, cancelling),
  check: ({ cancel }) => {
    const actual = textAt(cancel.responseJson, 'status');
    return actual === 'in_progress' ? [violation('/status', 'cancelling', actual)] : [];
  },
  mutations: { 'still in progress': setIn('cancelVectorStoreFileBatch', '/status', 'in_progress') },
});

export const vectorStoreFileBatchesCancelAccepted = stated('vector-store-file-batches.cancel.accepted', {
  says: 'A file batch in progress can be cancelled.',
  selector: cancellations,
  check: ({ cancel, after }) =>
    after === null
      ? []
      : [
          violation(
            'status',
            '2xx: the batch was in progress before and after',
            cancel.status,
            cancel.exchange.id,
          ),
        ],
  mutations: {
    'always refused': inTurn(
      answerStatus('cancelVectorStoreFileBatch', 400),
      setIn('retrieveVectorStoreFileBatch', '/status', 'in_progress'),
    ),
    'never found': inTurn(
      answerStatus('cancelVectorStoreFileBatch', 404),
      setIn('retrieveVectorStoreFileBatch', '/status', 'in_progress'),
    ),
  },
});
