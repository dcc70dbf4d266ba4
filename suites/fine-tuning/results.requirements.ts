import type { Exchange } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { inAnswer, inAnswerWhere, status } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { isOver } from './samples.ts';

const OBJECT = '2 Fine-tuning job';
const ENDPOINTS = '2 Fine-tuning';

const succeeded = only(
  answers('retrieveFineTuningJob'),
  ({ answer }) => get(answer, 'status') === 'succeeded',
);

const named = only(succeeded, ({ answer }) => text(answer, 'fine_tuned_model') !== undefined);

export const hasModel = requirement({
  id: 'fine-tuning.results.model',
  level: 'MUST',
  basis: 'implied',
  spec: OBJECT,
  says: 'A job that succeeded names the model that came of it.',
  on: succeeded,
  check: ({ answer }) => {
    const actual = get(answer, 'fine_tuned_model');
    return typeof actual === 'string' ? [] : [{ at: '/fine_tuned_model', expected: 'a name', actual }];
  },
  breaks: {
    'no name': inAnswer('retrieveFineTuningJob', put('/fine_tuned_model', null)),
    'left out': inAnswer('retrieveFineTuningJob', remove('/fine_tuned_model')),
  },
});

export const ofBase = requirement({
  id: 'fine-tuning.results.model-of-base',
  level: 'MUST',
  basis: 'stated',
  spec: OBJECT,
  says: 'The name of a new model begins with ft and its base model.',
  // What is fine-tuned once more has a base whose own name begins so.
  on: only(named, ({ answer }) => text(answer, 'model')?.includes(':') === false),
  check: ({ answer }) => {
    const [base, actual] = [text(answer, 'model'), text(answer, 'fine_tuned_model')];
    const isOf = actual?.startsWith(`ft:${base}:`) === true;
    return isOf ? [] : [{ at: '/fine_tuned_model', expected: `ft:${base}:…`, actual }];
  },
  breaks: {
    'another base': inAnswer('retrieveFineTuningJob', put('/fine_tuned_model', 'ft:another:org:suffix:id')),
    'no prefix': inAnswer(
      'retrieveFineTuningJob',
      put('/fine_tuned_model', (name) => (typeof name === 'string' ? name.replace(/^ft:/, '') : null)),
    ),
  },
});

export const suffix = requirement({
  id: 'fine-tuning.results.suffix',
  level: 'MUST',
  basis: 'stated',
  spec: ENDPOINTS,
  says: 'The suffix that a job was given is a part of the name of its model.',
  on: only(
    successions({ first: 'createFineTuningJob', later: 'retrieveFineTuningJob' }),
    ({ before, after }) =>
      // What becomes of letters that are none of a name is not said.
      /^[a-z0-9-]+$/.test(text(before.asked, 'suffix') ?? '') &&
      text(after.answer, 'fine_tuned_model') !== undefined,
  ),
  check: ({ before, after }) => {
    const [wanted, actual] = [text(before.asked, 'suffix'), text(after.answer, 'fine_tuned_model')];
    return actual?.includes(`:${wanted}`)
      ? []
      : [{ at: '/fine_tuned_model', expected: `ft:…:${wanted}:…`, actual }];
  },
  breaks: {
    'no suffix': inAnswer('retrieveFineTuningJob', put('/fine_tuned_model', 'ft:base:org::id')),
    'another suffix': inAnswer('retrieveFineTuningJob', put('/fine_tuned_model', 'ft:base:org:other:id')),
  },
});

export const modelFound = requirement({
  id: 'fine-tuning.results.model-found',
  level: 'MUST',
  basis: 'implied',
  spec: OBJECT,
  says: 'The model that came of a job is there.',
  on: only(
    successions({
      first: 'retrieveFineTuningJob',
      later: 'retrieveModel',
      until: ['deleteModel'],
      about: ({ path, answer }) => path['model'] ?? text(answer, 'fine_tuned_model'),
    }),
    ({ after }) => tells(after),
  ),
  check: ({ after }) =>
    after.outcome === 'accepted' ? [] : [{ at: 'status', expected: '2xx', actual: after.status }],
  breaks: {
    'not there': status('retrieveModel', 404),
    'not to be had': status('retrieveModel', 400),
  },
});

export const filesFound = requirement({
  id: 'fine-tuning.results.files-found',
  level: 'MUST',
  basis: 'implied',
  spec: OBJECT,
  says: 'The result files of a job are there.',
  on: only(
    successions({
      first: 'retrieveFineTuningJob',
      later: ['retrieveFile', 'retrieveFileContent'],
      until: ['deleteFile'],
      about: ({ path, answer }) => path['file_id'] ?? text(answer, 'result_files', 0),
    }),
    ({ after }) => tells(after),
  ),
  check: ({ after }) =>
    after.outcome === 'accepted' ? [] : [{ at: 'status', expected: '2xx', actual: after.status }],
  breaks: {
    'not there': status('retrieveFile', 404),
    'without content': status('retrieveFileContent', 404),
  },
});

export const events = requirement({
  id: 'fine-tuning.events.told',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Events',
  says: 'How a job went is told in events.',
  on: only(
    successions({ first: 'retrieveFineTuningJob', later: 'listFineTuningEvents' }),
    ({ before, after }) =>
      before.answer !== undefined && isOver(before.answer) && !after.query.has('after') && isPage(after),
  ),
  check: ({ after }) =>
    list(after.answer, 'data').length > 0 ? [] : [{ at: '/data', expected: 'events', actual: 'none' }],
  breaks: {
    'no events': inAnswerWhere('listFineTuningEvents', fromTheStart, put('/data', [])),
    'no list': inAnswerWhere('listFineTuningEvents', fromTheStart, put('/data', null)),
  },
});

export const ofJob = requirement({
  id: 'fine-tuning.checkpoints.names-job',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Fine-tuning checkpoint',
  says: 'The `fine_tuning_job_id` of a checkpoint is that of its address.',
  on: only(answers('listFineTuningCheckpoints'), ({ answer }) => list(answer, 'data').length > 0),
  check: ({ call, answer }) =>
    list(answer, 'data').flatMap((one, i) => {
      const [wanted, actual] = [call.path['fine_tuning_job_id'], get(one, 'fine_tuning_job_id')];
      return actual === wanted || actual === undefined
        ? []
        : [{ at: `/data/${i}/fine_tuning_job_id`, expected: `${wanted}`, actual }];
    }),
  breaks: {
    'another job': inAnswer('listFineTuningCheckpoints', put('/data/*/fine_tuning_job_id', 'job_of_another')),
    'another job once': inAnswer('listFineTuningCheckpoints', put('/data/0/fine_tuning_job_id', 'another')),
  },
});

/** Whether an answer tells that something is there, or is not. */
function tells({ outcome }: Call): boolean {
  return outcome === 'accepted' || outcome === 'absent' || outcome === 'rejected';
}

function isPage({ answer, query }: Call): boolean {
  return answer !== undefined && query.get('limit') !== '0';
}

function fromTheStart({ request }: Exchange): boolean {
  return !request.target.includes('after=');
}
