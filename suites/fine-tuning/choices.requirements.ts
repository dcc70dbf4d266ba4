import { choiceOf } from '../data/choices.ts';
import { cancelTimings } from '../generate/relations/cancel-timing.ts';
import { setIn, succeedInstead } from '../vocabulary/changes.ts';
import {
  fieldState,
  fieldValue,
  numberState,
  outcome,
  refusal,
  transition,
} from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  asks,
  decided,
  leavesOut,
  requests,
  responses,
  shows,
  successions,
  unprobed,
  where,
} from '../vocabulary/selectors.ts';
import type { Call } from '../vocabulary/types.ts';
import { jobCancellationPlan } from './cancellation-plan.ts';
import { isJobOver } from './samples.ts';

const CREATE = 'createFineTuningJob';
const RETRIEVE = 'retrieveFineTuningJob';
/** Operations whose response is a job. */
const TELLING = [CREATE, RETRIEVE, 'cancelFineTuningJob'];

export const fineTuningStatusTransitions = choiceOf('fine-tuning.status.transitions', {
  selector: successions({ first: TELLING, later: TELLING }),
  taken: transition('status'),
});

/** How quickly jobs end is up to the service: all cancellations of one that ends them at once come too late. */
export const fineTuningCancelInTime = choiceOf('fine-tuning.cancel.in-time', {
  selector: cancelTimings(jobCancellationPlan),
  taken: ({ found }) => found,
});

/** Of a job that was reported as over; nothing says what its cancellation is answered. */
export const fineTuningCancelTooLate = choiceOf('fine-tuning.cancel.too-late', {
  selector: where(successions({ first: TELLING, later: 'cancelFineTuningJob' }), decided, ({ before }) =>
    isJobOver(before.responseJson ?? null),
  ),
  taken: outcome('returned unchanged'),
  examples: { 'returned unchanged': succeedInstead('cancelFineTuningJob', () => ({ status: 'succeeded' })) },
});

export const fineTuningResultsListed = choiceOf('fine-tuning.results.listed', {
  selector: where(
    responses(RETRIEVE),
    ({ answer }) =>
      valueAtPath(answer, 'status') === 'succeeded' && Array.isArray(valueAtPath(answer, 'result_files')),
  ),
  taken: ({ answer }) => (arrayAt(answer, 'result_files').length > 0 ? 'some' : 'none'),
});

export const fineTuningResultsPurpose = choiceOf('fine-tuning.results.purpose', {
  selector: where(
    successions({
      first: RETRIEVE,
      later: 'retrieveFile',
      about: ({ path, responseJson: answer }) =>
        path['file_id'] ?? arrayAt(answer, 'result_files').filter((id) => typeof id === 'string'),
    }),
    ({ after }) => textAt(after.responseJson, 'purpose') !== undefined,
  ),
  taken: fieldValue('purpose'),
});

export const fineTuningErrorForm = choiceOf('fine-tuning.error.form', {
  selector: where(responses(RETRIEVE), ({ answer }) => isObject(valueAtPath(answer, 'error'))),
  taken: ({ answer }) => form(answer, 'error'),
  examples: {
    message: setIn(RETRIEVE, '/error', (old) => (isObject(old) ? { message: 'no' } : (old ?? null))),
  },
});

export const fineTuningErrorOfOthers = choiceOf('fine-tuning.error.of-others', {
  selector: where(responses(TELLING), ({ answer }) => valueAtPath(answer, 'status') !== 'failed'),
  taken: fieldState('error', 'an object'),
});

export const fineTuningHyperparametersKeys = choiceOf('fine-tuning.hyperparameters.keys', {
  selector: responses(CREATE),
  taken: ({ answer }) => form(answer, 'hyperparameters'),
});

export const fineTuningHyperparametersUnset = choiceOf('fine-tuning.hyperparameters.unset', {
  selector: where(responses(CREATE), leavesOut('hyperparameters.n_epochs')),
  taken: ({ answer }) => {
    const reported = valueAtPath(answer, 'hyperparameters', 'n_epochs');
    return reported === undefined ? null : typeof reported === 'number' ? 'a number' : 'auto';
  },
});

export const fineTuningHyperparametersEpochs = choiceOf('fine-tuning.hyperparameters.epochs', {
  selector: where(
    requests(CREATE),
    decided,
    ({ asked, call: { exchange } }) =>
      (valueAtPath(asked, 'hyperparameters', 'n_epochs') ?? 1) !== 1 && exchange.probe?.side !== 'violation',
  ),
  taken: outcome('accepted'),
});

export const fineTuningHyperparametersOtherKeys = choiceOf('fine-tuning.hyperparameters.other-keys', {
  selector: where(requests(CREATE), asks('hyperparameters.batch_size')),
  taken: ({ asked, call }) => {
    if (call.responseClass === 'rejected') return 'refused';
    if (call.responseJson === undefined) return null;
    const reported = valueAtPath(call.responseJson, 'hyperparameters', 'batch_size');
    return reported === valueAtPath(asked, 'hyperparameters', 'batch_size') ? 'kept' : 'left out';
  },
});

export const fineTuningIntegrationsKinds = choiceOf('fine-tuning.integrations.kinds', {
  selector: where(requests(CREATE), unprobed, ({ asked }) => arrayAt(asked, 'integrations').length > 0),
  taken: refusal('accepted'),
});

export const fineTuningIntegrationsUnset = choiceOf('fine-tuning.integrations.unset', {
  selector: where(responses(CREATE), ({ asked }) => valueAtPath(asked, 'integrations') === undefined),
  taken: fieldState('integrations', 'an empty list'),
});

export const fineTuningEstimateWhileRunning = choiceOf('fine-tuning.estimate.while-running', {
  selector: where(responses(RETRIEVE), ({ answer }) => valueAtPath(answer, 'status') === 'running'),
  taken: numberState('estimated_finish'),
});

export const fineTuningEstimateBeforeRunning = choiceOf('fine-tuning.estimate.before-running', {
  selector: where(responses(TELLING), shows('status', 'queued', 'validating_files')),
  taken: numberState('estimated_finish'),
});

export const fineTuningFinishedAtWithoutSuccess = choiceOf('fine-tuning.finished-at.without-success', {
  selector: where(responses(TELLING), shows('status', 'failed', 'cancelled')),
  taken: numberState('finished_at'),
});

export const fineTuningResultsTrainedTokens = choiceOf('fine-tuning.results.trained-tokens', {
  selector: where(responses(RETRIEVE), shows('status', 'succeeded')),
  taken: numberState('trained_tokens'),
});

/** The names of an object's fields, sorted; `null` or `absent` where the value is not an object. */
function form(answer: Call['responseJson'], field: string): string {
  const reported = valueAtPath(answer, field);
  if (isObject(reported)) return Object.keys(reported).toSorted().join(', ');
  return reported === undefined ? 'absent' : 'null';
}
