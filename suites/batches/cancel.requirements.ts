import { cancellationRequirements, notRefused } from '../generate/cancellations.ts';
import { rowOf } from '../rows/rows.ts';
import { batchCancellationPlan } from './samples.ts';

/**
 * A rejected cancellation is a violation only if the batch was still in progress afterwards; otherwise it may have come too
 * late. A batch under validation is not in progress yet: it has no `in_progress_at`.
 */
export const batchesCancelAccepted = rowOf('batches.cancel.accepted', {
  evidence: cancellationRequirements(batchCancellationPlan),
  check: notRefused,
});
