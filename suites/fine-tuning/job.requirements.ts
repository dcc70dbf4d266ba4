import type { Json } from '../../exchange/body.ts';
import { inAnswer, succeedAnyway } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, number, text } from '../../judge/json.ts';
import type { Break } from '../../judge/requirement.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { succeedLater } from '../generate/misfit-breaks.ts';
import { misfits, undue } from '../generate/misfits.ts';
import { relations } from '../generate/relations/relations.ts';
import { namesModel } from '../runs/echo.ts';
import { job } from './resources.ts';
import { isOver } from './samples.ts';

const STATES = '2 States and transitions';
const ENDPOINTS = '2 Fine-tuning';

export const ofJob = relations(job);

export const queued = requirement({
  id: 'fine-tuning.create.queued',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'A new fine-tuning job is queued.',
  on: answers('createFineTuningJob'),
  check: ({ answer }) => {
    const actual = get(answer, 'status');
    return actual === 'queued' ? [] : [{ at: '/status', expected: 'queued', actual }];
  },
  breaks: {
    'validating at once': inAnswer('createFineTuningJob', put('/status', 'validating_files')),
    'running at once': inAnswer('createFineTuningJob', put('/status', 'running')),
    'over at once': inAnswer('createFineTuningJob', put('/status', 'succeeded')),
  },
});

export const noModelYet = requirement({
  id: 'fine-tuning.create.no-model-yet',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'A new fine-tuning job has null for its fine_tuned_model.',
  on: only(answers('createFineTuningJob'), ({ answer }) => get(answer, 'fine_tuned_model') !== undefined),
  check: ({ answer }) => {
    const actual = get(answer, 'fine_tuned_model');
    return actual === null ? [] : [{ at: '/fine_tuned_model', expected: 'null', actual }];
  },
  breaks: {
    'a model at once': inAnswer('createFineTuningJob', put('/fine_tuned_model', 'ft:base:org:suffix:id')),
    'an empty name': inAnswer('createFineTuningJob', put('/fine_tuned_model', '')),
  },
});

export const keepsEpochs = requirement({
  id: 'fine-tuning.create.keeps-n-epochs',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A number of epochs that a job is given is answered.',
  on: only(answers('createFineTuningJob'), ({ asked }) => epochs(asked) !== undefined),
  check: ({ asked, answer }) => {
    const [wanted, actual] = [epochs(asked), get(answer, 'hyperparameters', 'n_epochs')];
    return actual === wanted ? [] : [{ at: '/hyperparameters/n_epochs', expected: `${wanted}`, actual }];
  },
  breaks: {
    'another number': inAnswer('createFineTuningJob', put('/hyperparameters/n_epochs', 77)),
    'not told': inAnswer('createFineTuningJob', put('/hyperparameters', {})),
    'left to the service': inAnswer('createFineTuningJob', put('/hyperparameters/n_epochs', 'auto')),
  },
});

export const keepsModel = requirement({
  id: 'fine-tuning.create.keeps-model',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Fine-tuning job',
  says: 'A job is based on the model that it was asked for, perhaps by a fuller name.',
  on: only(answers('createFineTuningJob'), ({ asked }) => text(asked, 'model') !== undefined),
  check: ({ asked, answer }) => {
    const [wanted, actual] = [get(asked, 'model'), get(answer, 'model')];
    return namesModel(wanted, actual) ? [] : [{ at: '/model', expected: JSON.stringify(wanted), actual }];
  },
  breaks: {
    'another model': inAnswer('createFineTuningJob', put('/model', 'model-of-today')),
    'a larger one': inAnswer(
      'createFineTuningJob',
      put('/model', (name) => `${name}-large`),
    ),
  },
});

export const cancelled = requirement({
  id: 'fine-tuning.cancel.cancelled',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'A job that is cancelled before it has ended is answered as cancelled.',
  // One that had ended before the cancellation came says so, which is no answer to it.
  on: only(answers('cancelFineTuningJob'), ({ answer }) => {
    return get(answer, 'status') === 'cancelled' || !isOver(answer);
  }),
  check: ({ answer }) => {
    const actual = get(answer, 'status');
    return actual === 'cancelled' ? [] : [{ at: '/status', expected: 'cancelled', actual }];
  },
  breaks: {
    'goes on': inAnswer('cancelFineTuningJob', put('/status', 'running')),
    'still queued': inAnswer('cancelFineTuningJob', put('/status', 'queued')),
  },
});

export const staysCancelled = requirement({
  id: 'fine-tuning.cancel.stays-cancelled',
  level: 'MUST',
  basis: 'implied',
  spec: STATES,
  says: 'A job that was cancelled is cancelled whenever it is looked at.',
  on: only(
    successions({ first: 'cancelFineTuningJob', later: 'retrieveFineTuningJob' }),
    ({ before, after }) => get(before.answer, 'status') === 'cancelled' && after.answer !== undefined,
  ),
  check: ({ after }) => {
    const actual = get(after.answer, 'status');
    return actual === 'cancelled' ? [] : [{ at: '/status', expected: 'cancelled', actual }];
  },
  breaks: {
    'goes on': inAnswer('retrieveFineTuningJob', put('/status', 'running')),
    'succeeds nevertheless': inAnswer('retrieveFineTuningJob', put('/status', 'succeeded')),
  },
});

export const tellsJob = requirement({
  id: 'fine-tuning.cancel.tells-id',
  level: 'MUST',
  basis: 'stated',
  spec: ENDPOINTS,
  says: 'A cancellation is answered with the job that was to be cancelled.',
  on: answers('cancelFineTuningJob'),
  check: ({ call, answer }) => {
    const [wanted, actual] = [call.path['fine_tuning_job_id'], text(answer, 'id')];
    return actual === wanted ? [] : [{ at: '/id', expected: `${wanted}`, actual }];
  },
  breaks: {
    'another job': inAnswer('cancelFineTuningJob', put('/id', 'id_of_another')),
    'no job': inAnswer('cancelFineTuningJob', put('/id', null)),
  },
});

const misfit = misfits({
  create: 'createFineTuningJob',
  retrieve: 'retrieveFineTuningJob',
  fields: ['training_file', 'validation_file'],
  purpose: 'fine-tune',
  isOver,
});

const nevertheless: Readonly<Record<string, Break>> = {
  'succeeds nevertheless': succeedAnyway('createFineTuningJob', () => ({ id: 'job', status: 'succeeded' })),
  'succeeds in the end': succeedLater('createFineTuningJob', 'retrieveFineTuningJob', 'succeeded'),
};

export const purposes = requirement({
  id: 'fine-tuning.create.purpose-of-files',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A job is refused, or fails, whose files were uploaded for another purpose.',
  on: only(misfit, ({ why }) => why === 'purpose'),
  check: (one) => undue(one, 'succeeded'),
  breaks: nevertheless,
});

export const known = requirement({
  id: 'fine-tuning.create.files-known',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A job is refused, or fails, whose files are none.',
  on: only(misfit, ({ why }) => why === 'unknown'),
  check: (one) => undue(one, 'succeeded'),
  breaks: nevertheless,
});

export const baseKnown = requirement({
  id: 'fine-tuning.create.base-known',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A job is refused, or fails, whose base is no model.',
  on: only(
    misfits({
      create: 'createFineTuningJob',
      retrieve: 'retrieveFineTuningJob',
      fields: ['model'],
      purpose: '',
      isOver,
    }),
    ({ why }) => why === 'unknown',
  ),
  check: (one) => undue(one, 'succeeded'),
  breaks: nevertheless,
});

export const formats = requirement({
  id: 'fine-tuning.create.format-of-files',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Limits',
  says: 'A job is refused, or fails, whose files are no JSONL.',
  on: only(misfit, ({ why }) => why === 'format'),
  check: (one) => undue(one, 'succeeded'),
  breaks: {
    'succeeds in the end': inAnswer('retrieveFineTuningJob', put('/status', 'succeeded')),
    'succeeds at once': inAnswer('createFineTuningJob', put('/status', 'succeeded')),
  },
});

function epochs(asked: Json | undefined): number | undefined {
  return number(asked, 'hyperparameters', 'n_epochs');
}
