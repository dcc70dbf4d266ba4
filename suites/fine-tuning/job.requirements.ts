import {
  invalidFileUses,
  succeedEventually,
  unexpectedSuccesses,
  usedFor,
} from '../generate/invalid-files.ts';
import { isSameModel } from '../rows/model-names.ts';
import { setIn, succeedInstead } from '../vocabulary/changes.ts';
import { numberAt, valueAtPath } from '../vocabulary/json.ts';
import {
  answered,
  asksNumber,
  asksText,
  responses,
  showed,
  shows,
  successions,
  that,
  where,
} from '../vocabulary/selectors.ts';
import { fieldIs, section, violation } from '../vocabulary/statements.ts';
import type { Json, Mutation, ResponseEvidence } from '../vocabulary/types.ts';
import { isJobOver } from './samples.ts';

const { stated, implied } = section('2 Fine-tuning');
const STATES = '2 States and transitions';

export const fineTuningCreateQueued = stated('fine-tuning.create.queued', {
  spec: STATES,
  says: 'A new fine-tuning job is queued.',
  selector: responses('createFineTuningJob'),
  check: ({ answer }) => fieldIs(answer, 'status', 'queued'),
  mutations: {
    'validating_files at once': setIn('createFineTuningJob', '/status', 'validating_files'),
    'running at once': setIn('createFineTuningJob', '/status', 'running'),
    'succeeded at once': setIn('createFineTuningJob', '/status', 'succeeded'),
  },
});

export const fineTuningCreateNoModelYet = stated('fine-tuning.create.no-model-yet', {
  spec: STATES,
  says: 'A new fine-tuning job has null for its fine_tuned_model.',
  selector: where(responses('createFineTuningJob'), shows('fine_tuned_model')),
  check: ({ answer }) => fieldIs(answer, 'fine_tuned_model', null),
  mutations: {
    'a model at once': setIn('createFineTuningJob', '/fine_tuned_model', 'ft:base:org:suffix:id'),
    'an empty name': setIn('createFineTuningJob', '/fine_tuned_model', ''),
  },
});

export const fineTuningCreateKeepsNEpochs = implied('fine-tuning.create.keeps-n-epochs', {
  says: 'The response to a new job has the number of epochs of the request.',
  selector: where(responses('createFineTuningJob'), asksNumber('hyperparameters.n_epochs')),
  check: ({ asked, answer }) => fieldIs(answer, 'hyperparameters.n_epochs', epochs(asked)),
  mutations: {
    'another number': setIn('createFineTuningJob', '/hyperparameters/n_epochs', 77),
    missing: setIn('createFineTuningJob', '/hyperparameters', {}),
    'left to the service': setIn('createFineTuningJob', '/hyperparameters/n_epochs', 'auto'),
  },
});

export const fineTuningCreateKeepsModel = implied('fine-tuning.create.keeps-model', {
  spec: '2 Fine-tuning job',
  says: 'A job has the base model of its request, possibly under a longer name.',
  selector: where(responses('createFineTuningJob'), asksText('model')),
  check: ({ asked, answer }) => {
    const [wanted, actual] = [valueAtPath(asked, 'model'), valueAtPath(answer, 'model')];
    return isSameModel(wanted, actual) ? [] : [violation('/model', JSON.stringify(wanted), actual)];
  },
  mutations: {
    'another model': setIn('createFineTuningJob', '/model', 'model-of-today'),
    'a larger one': setIn('createFineTuningJob', '/model', (name) => `${name}-large`),
  },
});

const notOtherwiseOver = that<ResponseEvidence>(
  'that has not ended otherwise',
  ({ answer }) => valueAtPath(answer, 'status') === 'cancelled' || !isJobOver(answer),
);

export const fineTuningCancelCancelled = stated('fine-tuning.cancel.cancelled', {
  spec: STATES,
  says: 'A job that is cancelled before it has ended is in the state cancelled in the response.',
  // A job that had ended before the cancellation is in its own final state, which is not a violation.
  selector: where(responses('cancelFineTuningJob'), notOtherwiseOver),
  check: ({ answer }) => fieldIs(answer, 'status', 'cancelled'),
  mutations: {
    'goes on': setIn('cancelFineTuningJob', '/status', 'running'),
    'still queued': setIn('cancelFineTuningJob', '/status', 'queued'),
  },
});

export const fineTuningCancelStaysCancelled = implied('fine-tuning.cancel.stays-cancelled', {
  spec: STATES,
  says: 'A job that was cancelled stays in the state cancelled.',
  selector: where(
    successions({ first: 'cancelFineTuningJob', later: 'retrieveFineTuningJob' }),
    showed('status', 'cancelled'),
    answered,
  ),
  check: ({ after }) => fieldIs(after.responseJson, 'status', 'cancelled'),
  mutations: {
    'goes on': setIn('retrieveFineTuningJob', '/status', 'running'),
    'succeeds nevertheless': setIn('retrieveFineTuningJob', '/status', 'succeeded'),
  },
});

export const fineTuningCancelTellsId = stated('fine-tuning.cancel.tells-id', {
  says: 'The response to a cancellation has the id of the job in its request.',
  selector: responses('cancelFineTuningJob'),
  check: ({ call, answer }) => fieldIs(answer, 'id', call.path['fine_tuning_job_id']),
  mutations: {
    'another job': setIn('cancelFineTuningJob', '/id', 'id_of_another'),
    'no job': setIn('cancelFineTuningJob', '/id', null),
  },
});

const use = invalidFileUses({
  create: 'createFineTuningJob',
  retrieve: 'retrieveFineTuningJob',
  fields: ['training_file', 'validation_file'],
  purpose: 'fine-tune',
  isOver: isJobOver,
});

const nevertheless: Readonly<Record<string, Mutation>> = {
  'succeeds nevertheless': succeedInstead('createFineTuningJob', () => ({ id: 'job', status: 'succeeded' })),
  'succeeds in the end': succeedEventually('createFineTuningJob', 'retrieveFineTuningJob', 'succeeded'),
};

export const fineTuningCreatePurposeOfFiles = implied('fine-tuning.create.purpose-of-files', {
  says: 'A job whose files were uploaded for another purpose is rejected, or fails.',
  selector: where(use, usedFor('purpose')),
  check: (one) => unexpectedSuccesses(one, 'succeeded'),
  mutations: nevertheless,
});

export const fineTuningCreateFilesKnown = implied('fine-tuning.create.files-known', {
  says: 'A job whose files do not exist is rejected, or fails.',
  selector: where(use, usedFor('unknown')),
  check: (one) => unexpectedSuccesses(one, 'succeeded'),
  mutations: nevertheless,
});

/** Creations with a base model that does not exist; a model is named as a file is. */
const ofModel = {
  create: 'createFineTuningJob',
  retrieve: 'retrieveFineTuningJob',
  fields: ['model'],
  purpose: '',
  isOver: isJobOver,
};

export const fineTuningCreateBaseKnown = implied('fine-tuning.create.base-known', {
  says: 'A job whose base model does not exist is rejected, or fails.',
  selector: where(invalidFileUses(ofModel), usedFor('unknown')),
  check: (one) => unexpectedSuccesses(one, 'succeeded'),
  mutations: nevertheless,
});

export const fineTuningCreateFormatOfFiles = implied('fine-tuning.create.format-of-files', {
  spec: '2 Limits',
  says: 'A job whose files are not JSONL is rejected, or fails.',
  selector: where(use, usedFor('format')),
  check: (one) => unexpectedSuccesses(one, 'succeeded'),
  mutations: {
    'succeeds in the end': setIn('retrieveFineTuningJob', '/status', 'succeeded'),
    'succeeds at once': setIn('createFineTuningJob', '/status', 'succeeded'),
  },
});

function epochs(asked: Json | undefined): number | undefined {
  return numberAt(asked, 'hyperparameters', 'n_epochs');
}
