import { rowOf } from '../rows/rows.ts';
import { numberAt, valueAtPath } from '../vocabulary/json.ts';
import { answered, showed, successions, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { CallSuccession, Json, ResponseEvidence } from '../vocabulary/types.ts';
import { isBatchOver } from './samples.ts';

export const batchesCreateCountsFromZero = rowOf<ResponseEvidence>('batches.create.counts-from-zero', {
  check: ({ answer }) =>
    ['total', 'completed', 'failed'].flatMap((name) => {
      const actual = valueAtPath(answer, 'request_counts', name);
      return actual === 0 || actual === undefined ? [] : [violation(`/request_counts/${name}`, '0', actual)];
    }),
});

export const batchesCancelCancelling = rowOf('batches.cancel.cancelling', {
  evidence: where(
    successions({ first: ['createBatch', 'retrieveBatch', 'cancelBatch'], later: 'cancelBatch' }),
    showed('status', 'in_progress'),
    answered,
    that('that has not ended', ({ after }) => !hasEnded(after.responseJson)),
  ),
});

export const batchesCancelTellsSinceWhen = rowOf<CallSuccession>('batches.cancel.tells-since-when', {
  check: ({ before, after }) => {
    const [wanted, actual] = [
      numberAt(before.responseJson, 'cancelling_at'),
      valueAtPath(after.responseJson, 'cancelling_at'),
    ];
    return wanted !== undefined && actual === wanted
      ? []
      : [violation('/cancelling_at', `${wanted ?? 'a time'}, as in the earlier response`, actual)];
  },
});

export const batchesCancelNotResumed = rowOf<CallSuccession>('batches.cancel.not-resumed', {
  check: ({ after }) => {
    const actual = valueAtPath(after.responseJson, 'status');
    return actual === 'validating' || actual === 'in_progress'
      ? [violation('/status', 'cancelling, or a final state', actual)]
      : [];
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
