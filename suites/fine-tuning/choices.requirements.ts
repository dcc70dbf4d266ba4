import type { Call } from '../../judge/call.ts';
import { inAnswer, succeedAnyway } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, isObject, list, number, text } from '../../judge/json.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { choice } from '../../judge/write.ts';
import { isOver } from './samples.ts';

const OBJECT = '2 Fine-tuning job';
const STATES = '2 States and transitions';
const ENDPOINTS = '2 Fine-tuning';
const CREATE = 'createFineTuningJob';
const RETRIEVE = 'retrieveFineTuningJob';
/** Operations that answer with a job. */
const TELLING = [CREATE, RETRIEVE, 'cancelFineTuningJob'];

export const transitions = choice({
  id: 'fine-tuning.status.transitions',
  several: true,
  spec: STATES,
  says: 'From which state to which a job is seen to go.',
  alternatives: ['queued to validating_files', 'validating_files to running', 'running to succeeded'],
  on: successions({ first: TELLING, later: TELLING }),
  taken: ({ before, after }) => {
    const [from, to] = [text(before.answer, 'status'), text(after.answer, 'status')];
    return from === undefined || to === undefined || from === to ? null : `${from} to ${to}`;
  },
});

export const tooLate = choice({
  id: 'fine-tuning.cancel.too-late',
  spec: STATES,
  says: 'What becomes of a cancellation of a job that has ended.',
  alternatives: ['refused', 'answered as it is'],
  on: only(successions({ first: TELLING, later: 'cancelFineTuningJob' }), ({ before, after }) => {
    const isTold = after.outcome === 'accepted' || after.outcome === 'rejected';
    return before.answer !== undefined && isOver(before.answer) && isTold;
  }),
  taken: ({ after }) => (after.outcome === 'accepted' ? 'answered as it is' : 'refused'),
  examples: {
    'answered as it is': succeedAnyway('cancelFineTuningJob', () => ({ status: 'succeeded' })),
  },
});

export const error = choice({
  id: 'fine-tuning.error.form',
  spec: OBJECT,
  says: 'Which fields the error of a failed job has.',
  alternatives: ['code, message, param', 'message'],
  on: only(answers(RETRIEVE), ({ answer }) => isObject(get(answer, 'error'))),
  taken: ({ answer }) => form(answer, 'error'),
  examples: {
    message: inAnswer(
      RETRIEVE,
      put('/error', (old) => (isObject(old) ? { message: 'no' } : (old ?? null))),
    ),
  },
});

export const noError = choice({
  id: 'fine-tuning.error.of-others',
  spec: OBJECT,
  says: 'How the error of a job reads that did not fail.',
  places: ['fine_tuning.job:error'],
  alternatives: ['null', 'an object'],
  on: only(answers(TELLING), ({ answer }) => get(answer, 'status') !== 'failed'),
  taken: ({ answer }) => {
    const told = get(answer, 'error');
    if (told === undefined) return 'absent';
    return told === null ? 'null' : 'an object';
  },
  examples: {
    'an object': inAnswer(RETRIEVE, put('/error', {})),
  },
});

export const keys = choice({
  id: 'fine-tuning.hyperparameters.keys',
  spec: OBJECT,
  says: 'Which hyperparameters a new job is answered with.',
  alternatives: ['batch_size, learning_rate_multiplier, n_epochs', 'n_epochs'],
  on: answers(CREATE),
  taken: ({ answer }) => form(answer, 'hyperparameters'),
  examples: {
    n_epochs: inAnswer(CREATE, put('/hyperparameters', { n_epochs: 1 })),
  },
});

export const unsetEpochs = choice({
  id: 'fine-tuning.hyperparameters.unset',
  spec: OBJECT,
  says: 'How the number of epochs of a new job reads that was given none.',
  alternatives: ['auto', 'a number'],
  on: only(answers(CREATE), ({ asked }) => {
    return get(asked, 'hyperparameters', 'n_epochs') === undefined;
  }),
  taken: ({ answer }) => {
    const told = get(answer, 'hyperparameters', 'n_epochs');
    return told === undefined ? null : typeof told === 'number' ? 'a number' : 'auto';
  },
  examples: {
    'a number': inAnswer(CREATE, put('/hyperparameters/n_epochs', 3)),
  },
});

export const epochsValues = choice({
  id: 'fine-tuning.hyperparameters.other-keys',
  spec: ENDPOINTS,
  says: 'What becomes of hyperparameters other than the number of epochs in a request.',
  alternatives: ['kept', 'left out', 'refused'],
  on: only(requests(CREATE), ({ asked }) => {
    return get(asked, 'hyperparameters', 'batch_size') !== undefined;
  }),
  taken: ({ asked, call }) => {
    if (call.outcome === 'rejected') return 'refused';
    if (call.answer === undefined) return null;
    const told = get(call.answer, 'hyperparameters', 'batch_size');
    return told === get(asked, 'hyperparameters', 'batch_size') ? 'kept' : 'left out';
  },
  examples: {
    'left out': inAnswer(CREATE, remove('/hyperparameters/batch_size')),
  },
});

export const integrations = choice({
  id: 'fine-tuning.integrations.kinds',
  spec: ENDPOINTS,
  says: 'Whether an integration of the kind «tracker» is taken.',
  alternatives: ['accepted', 'refused'],
  on: only(requests(CREATE), ({ asked, call }) => {
    return list(asked, 'integrations').length > 0 && call.exchange.probe === null;
  }),
  taken: ({ call }) => {
    if (call.outcome === 'rejected') return 'refused';
    return call.outcome === 'accepted' ? 'accepted' : null;
  },
});

export const noIntegrations = choice({
  id: 'fine-tuning.integrations.unset',
  spec: OBJECT,
  says: 'How the integrations of a job read that has none.',
  places: ['fine_tuning.job:integrations'],
  alternatives: ['null', 'an empty list'],
  on: only(answers(CREATE), ({ asked }) => get(asked, 'integrations') === undefined),
  taken: ({ answer }) => {
    const told = get(answer, 'integrations');
    if (told === undefined) return 'absent';
    return told === null ? 'null' : 'an empty list';
  },
  examples: {
    null: inAnswer(CREATE, put('/integrations', null)),
  },
});

export const estimate = choice({
  id: 'fine-tuning.estimate.while-running',
  spec: OBJECT,
  says: 'Whether a job that is running tells when it may end.',
  alternatives: ['told', 'not told'],
  on: only(answers(RETRIEVE), ({ answer }) => get(answer, 'status') === 'running'),
  taken: ({ answer }) => (number(answer, 'estimated_finish') === undefined ? 'not told' : 'told'),
  examples: {
    'not told': inAnswer(RETRIEVE, put('/estimated_finish', null)),
  },
});

export const estimateBefore = choice({
  id: 'fine-tuning.estimate.before-running',
  spec: OBJECT,
  says: 'Whether a job that is queued, or whose files are validated, tells when it may end.',
  alternatives: ['not told', 'told'],
  on: only(answers(TELLING), ({ answer }) => {
    return ['queued', 'validating_files'].some((state) => state === get(answer, 'status'));
  }),
  taken: ({ answer }) => (number(answer, 'estimated_finish') === undefined ? 'not told' : 'told'),
  examples: {
    told: inAnswer(CREATE, put('/estimated_finish', 4_000_000_000)),
  },
});

export const finishedAt = choice({
  id: 'fine-tuning.finished-at.without-success',
  spec: OBJECT,
  says: 'Whether a job that failed or was cancelled tells when it ended.',
  places: ['fine_tuning.job:finished_at'],
  alternatives: ['told', 'not told'],
  on: only(answers(TELLING), ({ answer }) => {
    return ['failed', 'cancelled'].some((end) => end === get(answer, 'status'));
  }),
  taken: ({ answer }) => (number(answer, 'finished_at') === undefined ? 'not told' : 'told'),
  examples: {
    'not told': inAnswer(RETRIEVE, put('/finished_at', null)),
  },
});

export const tokens = choice({
  id: 'fine-tuning.results.trained-tokens',
  spec: OBJECT,
  says: 'Whether a job that succeeded tells its tokens.',
  alternatives: ['told', 'not told'],
  on: only(answers(RETRIEVE), ({ answer }) => get(answer, 'status') === 'succeeded'),
  taken: ({ answer }) => (number(answer, 'trained_tokens') === undefined ? 'not told' : 'told'),
  examples: {
    'not told': inAnswer(RETRIEVE, put('/trained_tokens', null)),
  },
});

/** The fields of an object, in the order of the alphabet; `null` or `absent` where there is none. */
function form(answer: Call['answer'], field: string): string {
  const told = get(answer, field);
  if (isObject(told)) return Object.keys(told).toSorted().join(', ');
  return told === undefined ? 'absent' : 'null';
}
