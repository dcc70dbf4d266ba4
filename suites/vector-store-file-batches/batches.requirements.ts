import { notRefused } from '../generate/cancellations.ts';
import { rowOf } from '../rows/rows.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import { backToInProgress, cancellations, type StatusObservation, statusObservations } from './batches.ts';

export const vectorStoreFileBatchesStatesNeverBack = rowOf('vector-store-file-batches.states.never-back', {
  evidence: where(
    statusObservations,
    that<StatusObservation>(
      'after a status other than in_progress',
      ({ before }) => before !== null && before.state !== 'in_progress',
    ),
  ),
  check: ({ state, before }) =>
    state === 'in_progress' ? [violation('/status', `not in_progress after ${before?.state}`, state)] : [],
  broken_by: { 'back in progress': backToInProgress },
});

export const vectorStoreFileBatchesCancelAccepted = rowOf('vector-store-file-batches.cancel.accepted', {
  evidence: cancellations,
  check: notRefused,
});
