import { cancelTimings } from '../generate/cancellations.ts';
import { choiceOf } from '../rows/rows.ts';
import { setIn } from '../vocabulary/changes.ts';
import { fieldKeys } from '../vocabulary/choice-shapes.ts';
import { isObject } from '../vocabulary/json.ts';
import type { ResponseEvidence } from '../vocabulary/types.ts';
import { jobCancellationPlan } from './cancellation-plan.ts';

const RETRIEVE = 'retrieveFineTuningJob';

/** How quickly jobs end is up to the service: all cancellations of one that ends them at once come too late. */
export const fineTuningCancelInTime = choiceOf('fine-tuning.cancel.in-time', {
  selector: cancelTimings(jobCancellationPlan),
  taken: ({ found }) => found,
});

export const fineTuningErrorForm = choiceOf<ResponseEvidence>('fine-tuning.error.form', {
  taken: fieldKeys('error'),
  examples: {
    message: setIn(RETRIEVE, '/error', (old) => (isObject(old) ? { message: 'no' } : (old ?? null))),
  },
});
