import { rowOf } from '../rows/rows.ts';
import { withStatusOf as answerStatus, inTurn, setIn, setValue } from '../vocabulary/changes.ts';
import { textAt } from '../vocabulary/json.ts';
import { showsText, successions, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import {
  backToInProgress,
  calledBatch,
  cancellations,
  editRetrieved,
  type StatusObservation,
  statusObservations,
} from './batches.ts';

const afterItsEnd = that<StatusObservation>(
  'after a status other than in_progress',
  ({ before }) => before !== null && before.state !== 'in_progress',
);

export const vectorStoreFileBatchesStatesNeverBack = rowOf('vector-store-file-batches.states.never-back', {
  evidence: where(statusObservations, afterItsEnd),
  check: ({ state, before }) =>
    state === 'in_progress' ? [violation('/status', `not in_progress after ${before?.state}`, state)] : [],
  broken_by: {
    'back in progress': backToInProgress,
    'in progress after the cancellation': editRetrieved('cancelled', setValue('/status', 'in_progress')),
  },
});

export const fileBatchesCancelledOnly = rowOf('vector-store-file-batches.states.cancelling-by-cancel', {
  evidence: where(
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
  broken_by: { 'no request cancelled it': editRetrieved('not cancelled', setValue('/status', 'cancelling')) },
});

export const vectorStoreFileBatchesCancelAccepted = rowOf('vector-store-file-batches.cancel.accepted', {
  evidence: cancellations,
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
  broken_by: {
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
