import { textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { responses, where } from '../../judge/evidence/selectors/answers.ts';
import { successions } from '../../judge/evidence/selectors/relations.ts';
import { withStatusOf as answerStatus, inResponse } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import { inTurn } from '../generate/in-turn.ts';
import { cancellations } from './cancellations.ts';
import { backToInProgress, editRetrieved } from './mutations.ts';
import { calledBatch, statusObservations } from './status-observations.ts';

const { stated, implied } = section('1 Vector store file batch');
const ENDPOINTS = '1 Vector store file batches';

export const vectorStoreFileBatchesCancelSameBatch = implied('vector-store-file-batches.cancel.same-batch', {
  spec: ENDPOINTS,
  says: 'The response to a cancellation has the id of the file batch in its request.',
  selector: responses('cancelVectorStoreFileBatch'),
  check: ({ call, json: answer }) => {
    const wanted = { id: call.path['batch_id'], vector_store_id: call.path['vector_store_id'] };
    return Object.entries(wanted).flatMap(([field, id]) =>
      valueAtPath(answer, field) === id
        ? []
        : [{ at: `/${field}`, expected: `${id}`, actual: valueAtPath(answer, field) }],
    );
  },
  mutations: {
    'another batch': inResponse('cancelVectorStoreFileBatch', setValue('/id', 'vsfb_other')),
    'another store': inResponse('cancelVectorStoreFileBatch', setValue('/vector_store_id', 'vs_other')),
  },
});

export const vectorStoreFileBatchesCreateInProgress = stated('vector-store-file-batches.create.in-progress', {
  says: 'A new file batch is in progress.',
  selector: responses('createVectorStoreFileBatch'),
  check: ({ json: answer }) => {
    const actual = valueAtPath(answer, 'status');
    return actual === 'in_progress' ? [] : [{ at: '/status', expected: 'in_progress', actual }];
  },
  mutations: {
    'cancelled at once': inResponse('createVectorStoreFileBatch', setValue('/status', 'cancelled')),
    'being cancelled': inResponse('createVectorStoreFileBatch', setValue('/status', 'cancelling')),
    'over at once': inResponse('createVectorStoreFileBatch', setValue('/status', 'completed')),
  },
});

export const vectorStoreFileBatchesStatesNeverBack = implied('vector-store-file-batches.states.never-back', {
  says: 'A file batch that has left in_progress never comes back to it: only its creation leads there.',
  selector: where(statusObservations(), ({ before }) => before !== null && before.status !== 'in_progress'),
  check: ({ status, before }) =>
    status === 'in_progress'
      ? [{ at: '/status', expected: `not in_progress after ${before?.status}`, actual: status }]
      : [],
  mutations: {
    'back in progress': backToInProgress,
    'in progress after the cancellation': editRetrieved('cancelled', setValue('/status', 'in_progress')),
  },
});

export const vectorStoreFileBatchesStatesCancellingByCancel = stated(
  'vector-store-file-batches.states.cancelling-by-cancel',
  {
    says: 'A file batch is cancelling only once it is asked to be cancelled.',
    selector: where(
      successions({
        first: 'createVectorStoreFileBatch',
        later: 'retrieveVectorStoreFileBatch',
        until: ['cancelVectorStoreFileBatch'],
        about: calledBatch,
      }),
      ({ after }) => textAt(after.responseJson, 'status') !== undefined,
    ),
    check: ({ after }) => {
      const actual = textAt(after.responseJson, 'status');
      return actual === 'cancelling' ? [{ at: '/status', expected: 'another state', actual }] : [];
    },
    mutations: {
      'no request cancelled it': editRetrieved('not cancelled', setValue('/status', 'cancelling')),
      'always cancelling': inResponse('retrieveVectorStoreFileBatch', setValue('/status', 'cancelling')),
    },
  },
);

export const vectorStoreFileBatchesCancelLeavesInProgress = stated(
  'vector-store-file-batches.cancel.leaves-in-progress',
  {
    says: 'A file batch in progress that is cancelled is cancelling, or past that: not in progress.',
    selector: where(cancellations(), ({ cancel }) =>
      // Work that ended on its own during the cancellation proves nothing.
      ['in_progress', 'cancelling', 'cancelled'].includes(textAt(cancel.responseJson, 'status') ?? ''),
    ),
    check: ({ cancel }) => {
      const actual = textAt(cancel.responseJson, 'status');
      return actual === 'in_progress' ? [{ at: '/status', expected: 'cancelling', actual }] : [];
    },
    mutations: {
      'still in progress': inResponse('cancelVectorStoreFileBatch', setValue('/status', 'in_progress')),
    },
  },
);

export const vectorStoreFileBatchesCancelAccepted = stated('vector-store-file-batches.cancel.accepted', {
  says: 'A file batch in progress can be cancelled.',
  selector: cancellations(),
  check: ({ cancel, after }) =>
    after === null
      ? []
      : [
          {
            at: 'status',
            expected: '2xx: the batch was in progress before and after',
            actual: cancel.status,
            exchange: cancel.exchange.id,
          },
        ],
  mutations: {
    'always refused': inTurn(
      answerStatus('cancelVectorStoreFileBatch', 400),
      inResponse('retrieveVectorStoreFileBatch', setValue('/status', 'in_progress')),
    ),
    'never found': inTurn(
      answerStatus('cancelVectorStoreFileBatch', 404),
      inResponse('retrieveVectorStoreFileBatch', setValue('/status', 'in_progress')),
    ),
  },
});
