import { cancelTimings } from '../generate/cancellations.ts';
import { choiceOf } from '../rows/rows.ts';
import { setIn } from '../vocabulary/changes.ts';
import {
  echo,
  fieldForm,
  fieldKeys,
  fieldState,
  fieldType,
  fieldValue,
  numberState,
  outcome,
  refusal,
  refusedOr,
  transition,
  worded,
} from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, valueAtPath } from '../vocabulary/json.ts';
import {
  asks,
  asksList,
  decided,
  leavesOut,
  requests,
  responses,
  sentValid,
  setsOther,
  showed,
  shows,
  showsObject,
  showsText,
  successions,
  unprobed,
  where,
} from '../vocabulary/selectors.ts';
import { jobCancellationPlan } from './cancellation-plan.ts';
import { JOB_ENDS } from './samples.ts';

const CREATE = 'createFineTuningJob';
const RETRIEVE = 'retrieveFineTuningJob';
const CANCEL = 'cancelFineTuningJob';
/** Operations whose response is a job. */
const TELLING = [CREATE, RETRIEVE, CANCEL];
const succeeded = where(responses(RETRIEVE), shows('status', 'succeeded'));

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
  selector: where(successions({ first: TELLING, later: CANCEL }), decided, showed('status', ...JOB_ENDS)),
  taken: outcome('returned unchanged'),
});

export const fineTuningResultsListed = choiceOf('fine-tuning.results.listed', {
  selector: succeeded,
  taken: fieldState('result_files', 'some', 'none'),
});

export const fineTuningResultsPurpose = choiceOf('fine-tuning.results.purpose', {
  selector: where(
    successions({
      first: RETRIEVE,
      later: 'retrieveFile',
      about: ({ path, responseJson: answer }) =>
        path['file_id'] ?? arrayAt(answer, 'result_files').filter((id) => typeof id === 'string'),
    }),
    showsText('purpose'),
  ),
  taken: fieldValue('purpose'),
});

export const fineTuningErrorForm = choiceOf('fine-tuning.error.form', {
  selector: where(responses(RETRIEVE), showsObject('error')),
  taken: fieldKeys('error'),
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
  taken: fieldForm('hyperparameters'),
});

export const fineTuningHyperparametersUnset = choiceOf('fine-tuning.hyperparameters.unset', {
  selector: where(responses(CREATE), leavesOut('hyperparameters.n_epochs')),
  taken: worded(fieldType('hyperparameters.n_epochs'), { number: 'a number' }, 'auto'),
});

export const fineTuningHyperparametersEpochs = choiceOf('fine-tuning.hyperparameters.epochs', {
  selector: where(requests(CREATE), decided, sentValid, setsOther('hyperparameters.n_epochs', 1)),
  taken: outcome('accepted'),
});

export const fineTuningHyperparametersOtherKeys = choiceOf('fine-tuning.hyperparameters.other-keys', {
  selector: where(requests(CREATE), asks('hyperparameters.batch_size')),
  taken: refusedOr(echo('hyperparameters.batch_size', 'kept', 'left out')),
});

export const fineTuningIntegrationsKinds = choiceOf('fine-tuning.integrations.kinds', {
  selector: where(requests(CREATE), unprobed, asksList('integrations')),
  taken: refusal('accepted'),
});

export const fineTuningIntegrationsUnset = choiceOf('fine-tuning.integrations.unset', {
  selector: where(responses(CREATE), leavesOut('integrations')),
  taken: fieldState('integrations', 'an empty list'),
});

export const fineTuningEstimateWhileRunning = choiceOf('fine-tuning.estimate.while-running', {
  selector: where(responses(RETRIEVE), shows('status', 'running')),
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
  selector: succeeded,
  taken: numberState('trained_tokens'),
});
