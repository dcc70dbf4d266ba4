import { cancelTimings } from '../generate/cancellations.ts';
import { choiceOf } from '../rows/rows.ts';
import { jobCancellationPlan } from './cancellation-plan.ts';

/** How quickly jobs end is up to the service: all cancellations of one that ends them at once come too late. */
export const fineTuningCancelInTime = choiceOf('fine-tuning.cancel.in-time', {
  selector: cancelTimings(jobCancellationPlan),
  taken: ({ found }) => found,
});
