import { inTurn } from '../generate/in-turn.ts';
import { withStatusOf as answerStatus, setIn, setValue } from '../vocabulary/changes.ts';
import { textAt } from '../vocabulary/json.ts';
import { showsText, successions, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import {
  backToInProgress,
  calledBatch,
  cancellations,
  editRetrieved,
  type StatusObservation,
  statusObservations,
} from './batches.ts';

const { stated, implied } = section('1 Vector store file batch');
const afterItsEnd = that<StatusObservation>(
  'after a status other than in_progress',
  ({ before }) => before !== null && before.state !== 'in_progress',
);

export const vectorStoreFileBatchesStatesNeverBack = implied('vector-store-file-batches.states.never-back', {
  says: 'A file batch that has left in_progress never comes back to it: only its creation leads there.',
  selector: where(statusObservations, afterItsEnd),
  check: ({ state, before }) =>
    state === 'in_progress' ? [violation('/status', `not in_progress after ${before?.state}`, state)] : [],
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
