import { cancellationRequirements, notRefused } from '../generate/cancellations.ts';
import { rowOf } from '../rows/rows.ts';
import { jobCancellationPlan } from './cancellation-plan.ts';

/**
 * A rejected cancellation counts as a violation only if the job was seen in progress afterwards:
 * otherwise it may have come too late.
 */
export const fineTuningCancelAccepted = rowOf('fine-tuning.cancel.accepted', {
  evidence: cancellationRequirements(jobCancellationPlan),
  check: notRefused,
});
