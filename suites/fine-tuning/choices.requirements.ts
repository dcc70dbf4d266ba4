import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { requests, responses, where } from '../../judge/evidence/selectors/answers.ts';
import { successions } from '../../judge/evidence/selectors/relations.ts';
import { inResponse, succeedInstead } from '../../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import type { Call } from '../../judge/trace/call.ts';
import { isJobOver } from './samples.ts';

const { choice } = section('2 Fine-tuning job');
const STATES = '2 States and transitions';
const ENDPOINTS = '2 Fine-tuning';
const CREATE = 'createFineTuningJob';
const RETRIEVE = 'retrieveFineTuningJob';
/** Operations whose response is a job. */
const TELLING = [CREATE, RETRIEVE, 'cancelFineTuningJob'];

export const fineTuningStatusTransitions = choice('fine-tuning.status.transitions', {
  several: true,
  spec: STATES,
  says: 'The transitions between states of a job that were seen.',
  alternatives: ['queued to validating_files', 'validating_files to running', 'running to succeeded'],
  selector: successions({ first: TELLING, later: TELLING }),
  taken: ({ before, after }) => {
    const [from, to] = [textAt(before.responseJson, 'status'), textAt(after.responseJson, 'status')];
    return from === undefined || to === undefined || from === to ? null : `${from} to ${to}`;
  },
});

export const fineTuningCancelTooLate = choice('fine-tuning.cancel.too-late', {
  spec: STATES,
  says: 'The response to a cancellation of a job that has ended.',
  alternatives: ['refused', 'returned unchanged'],
  selector: where(successions({ first: TELLING, later: 'cancelFineTuningJob' }), ({ before, after }) => {
    const isConclusive = after.responseClass === 'accepted' || after.responseClass === 'rejected';
    return before.responseJson !== undefined && isJobOver(before.responseJson) && isConclusive;
  }),
  taken: ({ after }) => (after.responseClass === 'accepted' ? 'returned unchanged' : 'refused'),
  examples: {
    'returned unchanged': succeedInstead('cancelFineTuningJob', () => ({ status: 'succeeded' })),
  },
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
  taken: ({ after }) => textAt(after.responseJson, 'purpose') ?? null,
  examples: { 'fine-tune': inResponse('retrieveFile', setValue('/purpose', 'fine-tune')) },
});

export const fineTuningErrorForm = choice('fine-tuning.error.form', {
  says: 'The fields of the error of a failed job.',
  alternatives: ['code, message, param', 'message'],
  selector: where(responses(RETRIEVE), ({ json: answer }) => isObject(valueAtPath(answer, 'error'))),
  taken: ({ json: answer }) => form(answer, 'error'),
  examples: {
    message: inResponse(
      RETRIEVE,
      setValue('/error', (old) => (isObject(old) ? { message: 'no' } : (old ?? null))),
    ),
  },
});

export const fineTuningErrorOfOthers = choice('fine-tuning.error.of-others', {
  says: 'The value of error in a job that did not fail.',
  places: ['fine_tuning.job:error'],
  alternatives: ['null', 'an object'],
  selector: where(responses(TELLING), ({ json: answer }) => valueAtPath(answer, 'status') !== 'failed'),
  taken: ({ json: answer }) => {
    const reported = valueAtPath(answer, 'error');
    if (reported === undefined) return 'absent';
    return reported === null ? 'null' : 'an object';
  },
  examples: {
    'an object': inResponse(RETRIEVE, setValue('/error', {})),
  },
});

export const fineTuningHyperparametersKeys = choice('fine-tuning.hyperparameters.keys', {
  says: 'The hyperparameters in the response to a new job.',
  alternatives: ['batch_size, learning_rate_multiplier, n_epochs', 'n_epochs'],
  selector: responses(CREATE),
  taken: ({ json: answer }) => form(answer, 'hyperparameters'),
  examples: {
    n_epochs: inResponse(CREATE, setValue('/hyperparameters', { n_epochs: 1 })),
  },
});

export const fineTuningHyperparametersUnset = choice('fine-tuning.hyperparameters.unset', {
  says: 'The number of epochs of a new job whose request has none.',
  alternatives: ['auto', 'a number'],
  selector: where(responses(CREATE), ({ requestJson: asked }) => {
    return valueAtPath(asked, 'hyperparameters', 'n_epochs') === undefined;
  }),
  taken: ({ json: answer }) => {
    const reported = valueAtPath(answer, 'hyperparameters', 'n_epochs');
    return reported === undefined ? null : typeof reported === 'number' ? 'a number' : 'auto';
  },
  examples: {
    'a number': inResponse(CREATE, setValue('/hyperparameters/n_epochs', 3)),
  },
});

export const fineTuningHyperparametersOtherKeys = choice('fine-tuning.hyperparameters.other-keys', {
  spec: ENDPOINTS,
  says: 'The handling of hyperparameters other than the number of epochs in a request.',
  alternatives: ['kept', 'left out', 'refused'],
  selector: where(requests(CREATE), ({ requestJson: asked }) => {
    return valueAtPath(asked, 'hyperparameters', 'batch_size') !== undefined;
  }),
  taken: ({ requestJson: asked, call }) => {
    if (call.responseClass === 'rejected') return 'refused';
    if (call.responseJson === undefined) return null;
    const reported = valueAtPath(call.responseJson, 'hyperparameters', 'batch_size');
    return reported === valueAtPath(asked, 'hyperparameters', 'batch_size') ? 'kept' : 'left out';
  },
  examples: {
    'left out': inResponse(CREATE, removeValue('/hyperparameters/batch_size')),
  },
});

export const fineTuningIntegrationsKinds = choice('fine-tuning.integrations.kinds', {
  spec: ENDPOINTS,
  says: 'Whether an integration of the kind «tracker» is accepted.',
  alternatives: ['accepted', 'refused'],
  selector: where(requests(CREATE), ({ requestJson: asked, call }) => {
    return arrayAt(asked, 'integrations').length > 0 && call.exchange.probe === null;
  }),
  taken: ({ call }) => {
    if (call.responseClass === 'rejected') return 'refused';
    return call.responseClass === 'accepted' ? 'accepted' : null;
  },
});

export const fineTuningIntegrationsUnset = choice('fine-tuning.integrations.unset', {
  says: 'The integrations of a job that has none.',
  places: ['fine_tuning.job:integrations'],
  alternatives: ['null', 'an empty list'],
  selector: where(
    responses(CREATE),
    ({ requestJson: asked }) => valueAtPath(asked, 'integrations') === undefined,
  ),
  taken: ({ json: answer }) => {
    const reported = valueAtPath(answer, 'integrations');
    if (reported === undefined) return 'absent';
    return reported === null ? 'null' : 'an empty list';
  },
  examples: {
    null: inResponse(CREATE, setValue('/integrations', null)),
  },
});

export const fineTuningEstimateWhileRunning = choice('fine-tuning.estimate.while-running', {
  says: 'Whether a running job has an estimated end.',
  alternatives: ['present', 'absent'],
  selector: where(responses(RETRIEVE), ({ json: answer }) => valueAtPath(answer, 'status') === 'running'),
  taken: ({ json: answer }) => (numberAt(answer, 'estimated_finish') === undefined ? 'absent' : 'present'),
  examples: {
    absent: inResponse(RETRIEVE, setValue('/estimated_finish', null)),
  },
});

export const fineTuningEstimateBeforeRunning = choice('fine-tuning.estimate.before-running', {
  says: 'Whether a job that is queued, or whose files are validated, has an estimated end.',
  alternatives: ['absent', 'present'],
  selector: where(responses(TELLING), ({ json: answer }) => {
    return ['queued', 'validating_files'].some((state) => state === valueAtPath(answer, 'status'));
  }),
  taken: ({ json: answer }) => (numberAt(answer, 'estimated_finish') === undefined ? 'absent' : 'present'),
  examples: {
    present: inResponse(CREATE, setValue('/estimated_finish', 4_000_000_000)),
  },
});

export const fineTuningFinishedAtWithoutSuccess = choice('fine-tuning.finished-at.without-success', {
  says: 'Whether a job that failed or was cancelled has the time of its end.',
  places: ['fine_tuning.job:finished_at'],
  alternatives: ['present', 'absent'],
  selector: where(responses(TELLING), ({ json: answer }) => {
    return ['failed', 'cancelled'].some((end) => end === valueAtPath(answer, 'status'));
  }),
  taken: ({ json: answer }) => (numberAt(answer, 'finished_at') === undefined ? 'absent' : 'present'),
  examples: {
    absent: inResponse(RETRIEVE, setValue('/finished_at', null)),
  },
});

export const fineTuningResultsTrainedTokens = choice('fine-tuning.results.trained-tokens', {
  says: 'Whether a job that succeeded has the number of trained tokens.',
  alternatives: ['present', 'absent'],
  selector: where(responses(RETRIEVE), ({ json: answer }) => valueAtPath(answer, 'status') === 'succeeded'),
  taken: ({ json: answer }) => (numberAt(answer, 'trained_tokens') === undefined ? 'absent' : 'present'),
  examples: {
    absent: inResponse(RETRIEVE, setValue('/trained_tokens', null)),
  },
});

/** The names of an object's fields, sorted; `null` or `absent` where the value is not an object. */
function form(answer: Call['responseJson'], field: string): string {
  const reported = valueAtPath(answer, field);
  if (isObject(reported)) return Object.keys(reported).toSorted().join(', ');
  return reported === undefined ? 'absent' : 'null';
}
