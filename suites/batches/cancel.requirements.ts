import { cancellationRequirements, notRefused } from '../generate/cancellations.ts';
import { rowOf } from '../rows/rows.ts';
import { batchCancellationPlan } from './samples.ts';

/**
 * A rejected cancellation counts as a violation only where the batch was seen in progress afterwards:
 * otherwise it may have come too late. A batch that is validated is not in progress yet: it has no `in_progress_at`.
 */
export const batchesCancelAccepted = rowOf('batches.cancel.accepted', {
  evidence: cancellationRequirements(batchCancellationPlan),
  check: notRefused,
});
