import { removeIn, setIn } from '../vocabulary/changes.ts';
import { isObject, numberAt, valueAtPath } from '../vocabulary/json.ts';
import { answered, responses, showed, successions, that, where } from '../vocabulary/selectors.ts';
import { fieldIs, section, violation } from '../vocabulary/statements.ts';
import type { Json, ResponseEvidence } from '../vocabulary/types.ts';
import { isBatchOver } from './samples.ts';

const { stated, implied } = section('2 States and transitions');

export const batchesCreateValidating = stated('batches.create.validating', {
  says: 'A new batch is in the state validating.',
  selector: responses('createBatch'),
  check: ({ answer }) => fieldIs(answer, 'status', 'validating'),
  mutations: {
    'begun at once': setIn('createBatch', '/status', 'in_progress'),
    'over at once': setIn('createBatch', '/status', 'completed'),
  },
});

const withCounts = that<ResponseEvidence>('with request_counts', ({ answer }) =>
  isObject(valueAtPath(answer, 'request_counts')),
);

export const batchesCreateCountsFromZero = stated('batches.create.counts-from-zero', {
  says: 'The counts of a new batch are zero.',
  selector: where(responses('createBatch'), withCounts),
  check: ({ answer }) =>
    ['total', 'completed', 'failed'].flatMap((name) => {
      const actual = valueAtPath(answer, 'request_counts', name);
      return actual === 0 || actual === undefined ? [] : [violation(`/request_counts/${name}`, '0', actual)];
    }),
  mutations: {
    'a total': setIn('createBatch', '/request_counts/total', 2),
    'one completed': setIn('createBatch', '/request_counts/completed', 1),
    'one failed': setIn('createBatch', '/request_counts/failed', 1),
  },
});

export const batchesCancelCancelling = stated('batches.cancel.cancelling', {
  says: 'A batch in progress that is cancelled is in the state cancelling in the response.',
  // One that is validated is not in progress yet; the response to a later cancellation is left open, too.
  selector: where(
    successions({ first: ['createBatch', 'retrieveBatch', 'cancelBatch'], later: 'cancelBatch' }),
    showed('status', 'in_progress'),
    answered,
    that('that has not ended', ({ after }) => !hasEnded(after.responseJson)),
  ),
  check: ({ after }) => fieldIs(after.responseJson, 'status', 'cancelling'),
  mutations: {
    'goes on': setIn('cancelBatch', '/status', 'in_progress'),
    'begins anew': setIn('cancelBatch', '/status', 'validating'),
    'over at once': setIn('cancelBatch', '/status', 'cancelled'),
  },
});

export const batchesCancelTellsSinceWhen = stated('batches.cancel.tells-since-when', {
  says: 'A cancelled batch has the time of its cancellation in `cancelling_at`, in the response and later.',
  selector: where(
    successions({ first: 'cancelBatch', later: ['retrieveBatch', 'cancelBatch'] }),
    showed('status', 'cancelling'),
    answered,
  ),
  check: ({ before, after }) => {
    const [wanted, actual] = [
      numberAt(before.responseJson, 'cancelling_at'),
      valueAtPath(after.responseJson, 'cancelling_at'),
    ];
    return wanted !== undefined && actual === wanted
      ? []
      : [violation('/cancelling_at', `${wanted ?? 'a time'}, as in the earlier response`, actual)];
  },
  mutations: {
    'missing later': setIn('retrieveBatch', '/cancelling_at', null),
    'never present': setIn('cancelBatch', '/cancelling_at', null),
    'another time later': setIn('retrieveBatch', '/cancelling_at', 1),
  },
});

export const batchesCancelTellsId = implied('batches.cancel.tells-id', {
  spec: '2 Batches',
  says: 'The response to a cancellation has the id of the batch in its request.',
  selector: responses('cancelBatch'),
  check: ({ call, answer }) => fieldIs(answer, 'id', call.path['batch_id']),
  mutations: {
    'another batch': setIn('cancelBatch', '/id', 'batch_other'),
    'no id': removeIn('cancelBatch', '/id'),
  },
});

export const batchesCancelNotResumed = implied('batches.cancel.not-resumed', {
  says: 'A batch that is being cancelled does not go back to an earlier state.',
  selector: where(
    successions({ first: 'cancelBatch', later: 'retrieveBatch' }),
    showed('status', 'cancelling'),
    answered,
  ),
  check: ({ after }) => {
    const actual = valueAtPath(after.responseJson, 'status');
    return actual === 'validating' || actual === 'in_progress'
      ? [violation('/status', 'cancelling, or a final state', actual)]
      : [];
  },
  mutations: {
    'goes on': setIn('retrieveBatch', '/status', 'in_progress'),
    'begins again': setIn('retrieveBatch', '/status', 'validating'),
  },
});

/**
 * Whether the batch had ended, or was writing its results, before the cancellation arrived: then its state
 * is not a violation.
 */
function hasEnded(answer: Json | undefined): boolean {
  const status = valueAtPath(answer, 'status');
  return status === 'finalizing' || (isBatchOver(answer) && status !== 'cancelled');
}
