import { removeIn, setIn, succeedInstead, withStatusOf } from '../vocabulary/changes.ts';
import {
  fieldState,
  fieldValue,
  numberState,
  outcome,
  refusal,
  transition,
} from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, successions, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Call } from '../vocabulary/types.ts';
import { isJobOver } from './samples.ts';

const { choice } = section('2 Fine-tuning job');
const statesAndTransitions = section('2 States and transitions');
const ENDPOINTS = '2 Fine-tuning';
const CREATE = 'createFineTuningJob';
const RETRIEVE = 'retrieveFineTuningJob';
/** Operations whose response is a job. */
const TELLING = [CREATE, RETRIEVE, 'cancelFineTuningJob'];

export const fineTuningStatusTransitions = statesAndTransitions.choice('fine-tuning.status.transitions', {
  several: true,
  says: 'The transitions between states of a job that were seen.',
  alternatives: ['queued to validating_files', 'validating_files to running', 'running to succeeded'],
  selector: successions({ first: TELLING, later: TELLING }),
  taken: transition('status'),
});

export const fineTuningCancelTooLate = statesAndTransitions.choice('fine-tuning.cancel.too-late', {
  says: 'The response to a cancellation of a job that has ended.',
  alternatives: ['refused', 'returned unchanged'],
  selector: where(successions({ first: TELLING, later: 'cancelFineTuningJob' }), ({ before, after }) => {
    const isConclusive = after.responseClass === 'accepted' || after.responseClass === 'rejected';
    return before.responseJson !== undefined && isJobOver(before.responseJson) && isConclusive;
  }),
  taken: outcome('returned unchanged'),
  examples: { 'returned unchanged': succeedInstead('cancelFineTuningJob', () => ({ status: 'succeeded' })) },
});

export const fineTuningResultsPurpose = choice('fine-tuning.results.purpose', {
  says: 'The purpose of the result files of a job.',
  alternatives: ['fine-tune-results', 'fine-tune'],
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
  examples: { 'fine-tune': setIn('retrieveFile', '/purpose', 'fine-tune') },
});

export const fineTuningErrorForm = choice('fine-tuning.error.form', {
  says: 'The fields of the error of a failed job.',
  alternatives: ['code, message, param', 'message'],
  selector: where(responses(RETRIEVE), ({ answer }) => isObject(valueAtPath(answer, 'error'))),
  taken: ({ answer }) => form(answer, 'error'),
  examples: {
    message: setIn(RETRIEVE, '/error', (old) => (isObject(old) ? { message: 'no' } : (old ?? null))),
  },
});

export const fineTuningErrorOfOthers = choice('fine-tuning.error.of-others', {
  says: 'The value of error in a job that did not fail.',
  places: ['fine_tuning.job:error'],
  alternatives: ['null', 'an object'],
  selector: where(responses(TELLING), ({ answer }) => valueAtPath(answer, 'status') !== 'failed'),
  taken: fieldState('error', 'an object'),
  examples: { 'an object': setIn(RETRIEVE, '/error', {}) },
});

export const fineTuningHyperparametersKeys = choice('fine-tuning.hyperparameters.keys', {
  says: 'The hyperparameters in the response to a new job.',
  alternatives: ['batch_size, learning_rate_multiplier, n_epochs', 'n_epochs'],
  selector: responses(CREATE),
  taken: ({ answer }) => form(answer, 'hyperparameters'),
  examples: { n_epochs: setIn(CREATE, '/hyperparameters', { n_epochs: 1 }) },
});

export const fineTuningHyperparametersUnset = choice('fine-tuning.hyperparameters.unset', {
  says: 'The number of epochs of a new job whose request has none.',
  alternatives: ['auto', 'a number'],
  selector: where(
    responses(CREATE),
    ({ asked }) => valueAtPath(asked, 'hyperparameters', 'n_epochs') === undefined,
  ),
  taken: ({ answer }) => {
    const reported = valueAtPath(answer, 'hyperparameters', 'n_epochs');
    return reported === undefined ? null : typeof reported === 'number' ? 'a number' : 'auto';
  },
  examples: { 'a number': setIn(CREATE, '/hyperparameters/n_epochs', 3) },
});

export const fineTuningHyperparametersEpochs = choice('fine-tuning.hyperparameters.epochs', {
  spec: ENDPOINTS,
  says: 'Whether a number of epochs other than 1, or the word auto, may be requested.',
  alternatives: ['accepted', 'refused'],
  selector: where(requests(CREATE), ({ asked, call }) => {
    const epochs = valueAtPath(asked, 'hyperparameters', 'n_epochs') ?? 1;
    const isUsual = epochs === 1 || call.exchange.probe?.side === 'violation';
    return !isUsual && ['accepted', 'rejected'].includes(call.responseClass);
  }),
  taken: outcome('accepted'),
  examples: { refused: withStatusOf(CREATE, 400) },
});

export const fineTuningHyperparametersOtherKeys = choice('fine-tuning.hyperparameters.other-keys', {
  spec: ENDPOINTS,
  says: 'The handling of hyperparameters other than the number of epochs in a request.',
  alternatives: ['kept', 'left out', 'refused'],
  selector: where(
    requests(CREATE),
    ({ asked }) => valueAtPath(asked, 'hyperparameters', 'batch_size') !== undefined,
  ),
  taken: ({ asked, call }) => {
    if (call.responseClass === 'rejected') return 'refused';
    if (call.responseJson === undefined) return null;
    const reported = valueAtPath(call.responseJson, 'hyperparameters', 'batch_size');
    return reported === valueAtPath(asked, 'hyperparameters', 'batch_size') ? 'kept' : 'left out';
  },
  examples: { 'left out': removeIn(CREATE, '/hyperparameters/batch_size') },
});

export const fineTuningIntegrationsKinds = choice('fine-tuning.integrations.kinds', {
  spec: ENDPOINTS,
  says: 'Whether an integration of the kind «tracker» is accepted.',
  alternatives: ['accepted', 'refused'],
  selector: where(
    requests(CREATE),
    ({ asked, call }) => arrayAt(asked, 'integrations').length > 0 && call.exchange.probe === null,
  ),
  taken: refusal('accepted'),
});

export const fineTuningIntegrationsUnset = choice('fine-tuning.integrations.unset', {
  says: 'The integrations of a job that has none.',
  places: ['fine_tuning.job:integrations'],
  alternatives: ['null', 'an empty list'],
  selector: where(responses(CREATE), ({ asked }) => valueAtPath(asked, 'integrations') === undefined),
  taken: fieldState('integrations', 'an empty list'),
  examples: { null: setIn(CREATE, '/integrations', null) },
});

export const fineTuningEstimateWhileRunning = choice('fine-tuning.estimate.while-running', {
  says: 'Whether a running job has an estimated end.',
  places: ['fine_tuning.job:estimated_finish'],
  alternatives: ['present', 'null'],
  selector: where(responses(RETRIEVE), ({ answer }) => valueAtPath(answer, 'status') === 'running'),
  taken: numberState('estimated_finish'),
  examples: { null: setIn(RETRIEVE, '/estimated_finish', null) },
});

export const fineTuningEstimateBeforeRunning = choice('fine-tuning.estimate.before-running', {
  says: 'Whether a job that is queued, or whose files are validated, has an estimated end.',
  places: ['fine_tuning.job:estimated_finish'],
  alternatives: ['null', 'present'],
  selector: where(responses(TELLING), ({ answer }) =>
    ['queued', 'validating_files'].some((state) => state === valueAtPath(answer, 'status')),
  ),
  taken: numberState('estimated_finish'),
  examples: { present: setIn(CREATE, '/estimated_finish', 4_000_000_000) },
});

export const fineTuningFinishedAtWithoutSuccess = choice('fine-tuning.finished-at.without-success', {
  says: 'Whether a job that failed or was cancelled has the time of its end.',
  places: ['fine_tuning.job:finished_at'],
  alternatives: ['present', 'null'],
  selector: where(responses(TELLING), ({ answer }) =>
    ['failed', 'cancelled'].some((end) => end === valueAtPath(answer, 'status')),
  ),
  taken: numberState('finished_at'),
  examples: { null: setIn(RETRIEVE, '/finished_at', null) },
});

export const fineTuningResultsTrainedTokens = choice('fine-tuning.results.trained-tokens', {
  says: 'Whether a job that succeeded has the number of trained tokens.',
  places: ['fine_tuning.job:trained_tokens'],
  alternatives: ['present', 'null'],
  selector: where(responses(RETRIEVE), ({ answer }) => valueAtPath(answer, 'status') === 'succeeded'),
  taken: numberState('trained_tokens'),
  examples: { null: setIn(RETRIEVE, '/trained_tokens', null) },
});

/** The names of an object's fields, sorted; `null` or `absent` where the value is not an object. */
function form(answer: Call['responseJson'], field: string): string {
  const reported = valueAtPath(answer, field);
  if (isObject(reported)) return Object.keys(reported).toSorted().join(', ');
  return reported === undefined ? 'absent' : 'null';
}
