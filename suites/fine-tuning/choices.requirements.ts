import type { Call } from '../../judge/call.ts';
import { get, isObject, list, number, text } from '../../judge/json.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { choice } from '../../judge/write.ts';
import { isOver } from './samples.ts';

const OBJECT = '2 Fine-tuning job';
const STATES = '2 States and transitions';
const ENDPOINTS = '2 Fine-tuning';
/** Operations that answer with a job. */
const TELLING = ['createFineTuningJob', 'retrieveFineTuningJob', 'cancelFineTuningJob'];

export const transitions = choice({
  id: 'fine-tuning.status.transitions',
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
});

export const error = choice({
  id: 'fine-tuning.error.form',
  spec: OBJECT,
  says: 'Which fields the error of a failed job has.',
  alternatives: ['code, message, param', 'null'],
  on: only(answers('retrieveFineTuningJob'), ({ answer }) => get(answer, 'status') === 'failed'),
  taken: ({ answer }) => form(answer, 'error'),
});

export const noError = choice({
  id: 'fine-tuning.error.of-others',
  spec: OBJECT,
  says: 'How the error of a job reads that did not fail.',
  alternatives: ['null', 'absent', 'an object'],
  on: only(answers(TELLING), ({ answer }) => get(answer, 'status') !== 'failed'),
  taken: ({ answer }) => {
    const told = get(answer, 'error');
    if (told === undefined) return 'absent';
    return told === null ? 'null' : 'an object';
  },
});

export const keys = choice({
  id: 'fine-tuning.hyperparameters.keys',
  spec: OBJECT,
  says: 'Which hyperparameters a new job is answered with.',
  alternatives: ['batch_size, learning_rate_multiplier, n_epochs', 'n_epochs'],
  on: answers('createFineTuningJob'),
  taken: ({ answer }) => form(answer, 'hyperparameters'),
});

export const unsetEpochs = choice({
  id: 'fine-tuning.hyperparameters.unset',
  spec: OBJECT,
  says: 'How the number of epochs of a new job reads that was given none.',
  alternatives: ['auto', 'a number'],
  on: only(answers('createFineTuningJob'), ({ asked }) => {
    return get(asked, 'hyperparameters', 'n_epochs') === undefined;
  }),
  taken: ({ answer }) => {
    const told = get(answer, 'hyperparameters', 'n_epochs');
    return told === undefined ? null : typeof told === 'number' ? 'a number' : 'auto';
  },
});

export const epochsValues = choice({
  id: 'fine-tuning.hyperparameters.other-keys',
  spec: ENDPOINTS,
  says: 'What becomes of hyperparameters other than the number of epochs in a request.',
  alternatives: ['kept', 'left out', 'refused'],
  on: only(requests('createFineTuningJob'), ({ asked }) => {
    return get(asked, 'hyperparameters', 'batch_size') !== undefined;
  }),
  taken: ({ asked, call }) => {
    if (call.outcome === 'rejected') return 'refused';
    if (call.answer === undefined) return null;
    const told = get(call.answer, 'hyperparameters', 'batch_size');
    return told === get(asked, 'hyperparameters', 'batch_size') ? 'kept' : 'left out';
  },
});

export const integrations = choice({
  id: 'fine-tuning.integrations.kinds',
  spec: ENDPOINTS,
  says: 'Whether an integration of the kind «tracker» is taken.',
  alternatives: ['accepted', 'refused'],
  on: only(requests('createFineTuningJob'), ({ asked, call }) => {
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
  alternatives: ['null', 'an empty list', 'absent'],
  on: only(answers('createFineTuningJob'), ({ asked }) => get(asked, 'integrations') === undefined),
  taken: ({ answer }) => {
    const told = get(answer, 'integrations');
    if (told === undefined) return 'absent';
    return told === null ? 'null' : 'an empty list';
  },
});

export const model = choice({
  id: 'fine-tuning.create.model-echo',
  spec: OBJECT,
  says: 'How the base model is named in the answer.',
  alternatives: ['as asked', 'by another name'],
  on: answers('createFineTuningJob'),
  taken: ({ asked, answer }) =>
    get(answer, 'model') === get(asked, 'model') ? 'as asked' : 'by another name',
});

export const estimate = choice({
  id: 'fine-tuning.estimate.while-running',
  spec: OBJECT,
  says: 'Whether a job that is running tells when it may end.',
  alternatives: ['told', 'not told'],
  on: only(answers('retrieveFineTuningJob'), ({ answer }) => get(answer, 'status') === 'running'),
  taken: ({ answer }) => (number(answer, 'estimated_finish') === undefined ? 'not told' : 'told'),
});

export const finishedAt = choice({
  id: 'fine-tuning.finished-at.without-success',
  spec: OBJECT,
  says: 'Whether a job that failed or was cancelled tells when it ended.',
  alternatives: ['told', 'not told'],
  on: only(answers(TELLING), ({ answer }) => {
    return ['failed', 'cancelled'].some((end) => end === get(answer, 'status'));
  }),
  taken: ({ answer }) => (number(answer, 'finished_at') === undefined ? 'not told' : 'told'),
});

export const tokens = choice({
  id: 'fine-tuning.results.trained-tokens',
  spec: OBJECT,
  says: 'Whether a job that succeeded tells its tokens.',
  alternatives: ['told', 'not told'],
  on: only(answers('retrieveFineTuningJob'), ({ answer }) => get(answer, 'status') === 'succeeded'),
  taken: ({ answer }) => (number(answer, 'trained_tokens') === undefined ? 'not told' : 'told'),
});

const events = only(answers('listFineTuningEvents'), ({ answer }) => list(answer, 'data').length > 0);

export const levels = choice({
  id: 'fine-tuning.event.levels',
  spec: '2 Fine-tuning job event',
  says: 'Which levels events have.',
  alternatives: ['info', 'warn', 'info, warn'],
  on: events,
  taken: ({ answer }) => values(answer, 'level'),
});

export const types = choice({
  id: 'fine-tuning.event.types',
  spec: '2 Fine-tuning job event',
  says: 'Which types events have.',
  alternatives: ['message', 'none'],
  on: events,
  taken: ({ answer }) => values(answer, 'type'),
});

export const data = choice({
  id: 'fine-tuning.event.data',
  spec: '2 Fine-tuning job event',
  says: 'What the data of an event are.',
  alternatives: ['null', 'absent', 'an object'],
  on: events,
  taken: ({ answer }) => {
    const told = list(answer, 'data').map((event) => get(event, 'data'));
    if (told.some(isObject)) return 'an object';
    return told.every((one) => one === undefined) ? 'absent' : 'null';
  },
});

export const metrics = choice({
  id: 'fine-tuning.checkpoint.metrics',
  spec: '2 Fine-tuning checkpoint',
  says: 'How many metrics a checkpoint in a list has.',
  alternatives: ['all seven', 'two'],
  on: only(answers('listFineTuningCheckpoints'), ({ answer }) => list(answer, 'data').length > 0),
  taken: ({ answer }) => {
    const told = get(answer, 'data', 0, 'metrics');
    const count = isObject(told) ? Object.keys(told).length : 0;
    return count === 7 ? 'all seven' : count === 2 ? 'two' : `${count}`;
  },
});

export const defaultLimit = choice({
  id: 'fine-tuning.jobs.limit',
  spec: ENDPOINTS,
  says: 'How many jobs a page has that was asked for without a limit.',
  alternatives: ['20', '10'],
  on: only(answers('listFineTuningJobs'), ({ answer, call }) => {
    return !call.query.has('limit') && get(answer, 'has_more') === true;
  }),
  taken: ({ answer }) => `${list(answer, 'data').length}`,
});

export const orders = (
  [
    ['jobs', 'listFineTuningJobs', 'created_at'],
    ['events', 'listFineTuningEvents', 'created_at'],
    ['checkpoints', 'listFineTuningCheckpoints', 'step_number'],
  ] as const
).map(([what, operation, field]) =>
  choice({
    id: `fine-tuning.${what}.order`,
    spec: ENDPOINTS,
    says: `In which order ${what} are listed.`,
    alternatives: ['newest first', 'oldest first', 'neither'],
    on: only(answers(operation), ({ answer }) => list(answer, 'data').length > 1),
    taken: ({ answer }) => {
      const times = list(answer, 'data').map((one) => number(one, field) ?? 0);
      if (times.every((time) => time === times[0])) return null;
      if (times.every((time, i) => i === 0 || (times[i - 1] ?? 0) >= time)) return 'newest first';
      return times.every((time, i) => i === 0 || (times[i - 1] ?? 0) <= time) ? 'oldest first' : 'neither';
    },
  }),
);

/** The fields of an object, in the order of the alphabet; `null` or `absent` where there is none. */
function form(answer: Call['answer'], field: string): string {
  const told = get(answer, field);
  if (isObject(told)) return Object.keys(told).toSorted().join(', ');
  return told === undefined ? 'absent' : 'null';
}

function values(answer: Call['answer'], field: string): string {
  const told = list(answer, 'data').flatMap((one) => text(one, field) ?? []);
  return told.length === 0 ? 'none' : [...new Set(told)].toSorted().join(', ');
}
