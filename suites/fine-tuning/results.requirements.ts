import { inResponseWhere, removeIn, setIn, setValue, withStatusOf } from '../vocabulary/changes.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  idFrom,
  lists,
  responses,
  settled,
  shows,
  showsText,
  successions,
  that,
  where,
} from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, CallSuccession, Exchange } from '../vocabulary/types.ts';
import { isJobOver } from './samples.ts';

const { stated, implied } = section('2 Fine-tuning job');
const ENDPOINTS = '2 Fine-tuning';

const succeeded = where(responses('retrieveFineTuningJob'), shows('status', 'succeeded'));

const named = where(succeeded, showsText('fine_tuned_model'));

export const fineTuningResultsModel = implied('fine-tuning.results.model', {
  says: 'A job that succeeded names the model that it has made.',
  selector: succeeded,
  check: ({ answer }) => {
    const actual = valueAtPath(answer, 'fine_tuned_model');
    return typeof actual === 'string' ? [] : [violation('/fine_tuned_model', 'a name', actual)];
  },
  mutations: {
    'no name': setIn('retrieveFineTuningJob', '/fine_tuned_model', null),
    'left out': removeIn('retrieveFineTuningJob', '/fine_tuned_model'),
  },
});

export const fineTuningResultsModelOfBase = stated('fine-tuning.results.model-of-base', {
  says: 'The name of a new model begins with ft and its base model.',
  // The name of a base model that is itself fine-tuned begins with ft.
  selector: where(
    named,
    that('with a model that has no colon', ({ answer }) => textAt(answer, 'model')?.includes(':') === false),
  ),
  check: ({ answer }) => {
    const [base, actual] = [textAt(answer, 'model'), textAt(answer, 'fine_tuned_model')];
    const isOf = actual?.startsWith(`ft:${base}:`) === true;
    return isOf ? [] : [violation('/fine_tuned_model', `ft:${base}:…`, actual)];
  },
  mutations: {
    'another base': setIn('retrieveFineTuningJob', '/fine_tuned_model', 'ft:another:org:suffix:id'),
    'no prefix': setIn('retrieveFineTuningJob', '/fine_tuned_model', (name) =>
      typeof name === 'string' ? name.replace(/^ft:/, '') : null,
    ),
  },
});

/** The handling of characters that are not valid in names is left open. */
const withPlainSuffix = that<CallSuccession>(
  'of a job with a suffix of small letters, digits and hyphens',
  ({ before }) => /^[a-z0-9-]+$/.test(textAt(before.requestJson, 'suffix') ?? ''),
);

export const fineTuningResultsSuffix = stated('fine-tuning.results.suffix', {
  spec: ENDPOINTS,
  says: 'The suffix of a job is part of the name of its model.',
  selector: where(
    successions({ first: 'createFineTuningJob', later: 'retrieveFineTuningJob' }),
    withPlainSuffix,
    showsText('fine_tuned_model'),
  ),
  check: ({ before, after }) => {
    const [wanted, actual] = [
      textAt(before.requestJson, 'suffix'),
      textAt(after.responseJson, 'fine_tuned_model'),
    ];
    return actual?.includes(`:${wanted}`) ? [] : [violation('/fine_tuned_model', `ft:…:${wanted}:…`, actual)];
  },
  mutations: {
    'no suffix': setIn('retrieveFineTuningJob', '/fine_tuned_model', 'ft:base:org::id'),
    'another suffix': setIn('retrieveFineTuningJob', '/fine_tuned_model', 'ft:base:org:other:id'),
  },
});

export const fineTuningResultsModelFound = implied('fine-tuning.results.model-found', {
  says: 'The model of a job that succeeded can be retrieved.',
  selector: where(
    successions({
      first: 'retrieveFineTuningJob',
      later: 'retrieveModel',
      until: ['deleteModel'],
      // A job names its model also when that is deleted.
      endsForGood: true,
      about: idFrom('model', 'fine_tuned_model'),
    }),
    settled,
  ),
  check: ({ after }) =>
    after.responseClass === 'accepted' ? [] : [violation('status', '2xx', after.status)],
  mutations: {
    'not there': withStatusOf('retrieveModel', 404),
    forbidden: withStatusOf('retrieveModel', 400),
  },
});

export const fineTuningResultsFilesFound = implied('fine-tuning.results.files-found', {
  says: 'Every result file of a job can be retrieved.',
  selector: where(
    successions({
      first: 'retrieveFineTuningJob',
      later: ['retrieveFile', 'retrieveFileContent'],
      until: ['deleteFile'],
      endsForGood: true,
      about: ({ path, responseJson: answer }) =>
        path['file_id'] ?? arrayAt(answer, 'result_files').filter((id) => typeof id === 'string'),
    }),
    settled,
  ),
  check: ({ after }) =>
    after.responseClass === 'accepted' ? [] : [violation('status', '2xx', after.status)],
  mutations: {
    'not there': withStatusOf('retrieveFile', 404),
    'without content': withStatusOf('retrieveFileContent', 404),
  },
});

const afterItsEnd = that<CallSuccession>(
  'of a job that had ended',
  ({ before }) => before.responseJson !== undefined && isJobOver(before.responseJson),
);

export const fineTuningEventsTold = stated('fine-tuning.events.told', {
  spec: '2 Events',
  says: 'A job has events.',
  selector: where(
    successions({ first: 'retrieveFineTuningJob', later: 'listFineTuningEvents' }),
    afterItsEnd,
    that('that is a page from the beginning', ({ after }) => !after.query.has('after') && isPage(after)),
  ),
  check: ({ after }) =>
    arrayAt(after.responseJson, 'data').length > 0 ? [] : [violation('/data', 'at least one event', 'none')],
  mutations: {
    'no events': inResponseWhere('listFineTuningEvents', fromTheStart, setValue('/data', [])),
    'no list': inResponseWhere('listFineTuningEvents', fromTheStart, setValue('/data', null)),
  },
});

export const fineTuningCheckpointsNamesJob = stated('fine-tuning.checkpoints.names-job', {
  spec: '2 Fine-tuning checkpoint',
  says: 'The `fine_tuning_job_id` of a checkpoint is that of its path.',
  selector: where(responses('listFineTuningCheckpoints'), lists('data')),
  check: ({ call, answer }) =>
    arrayAt(answer, 'data').flatMap((one, i) => {
      const [wanted, actual] = [call.path['fine_tuning_job_id'], valueAtPath(one, 'fine_tuning_job_id')];
      return actual === wanted || actual === undefined
        ? []
        : [violation(`/data/${i}/fine_tuning_job_id`, `${wanted}`, actual)];
    }),
  mutations: {
    'another job': setIn('listFineTuningCheckpoints', '/data/*/fine_tuning_job_id', 'job_of_another'),
    'another job once': setIn('listFineTuningCheckpoints', '/data/0/fine_tuning_job_id', 'another'),
  },
});

function isPage({ responseJson: answer, query }: Call): boolean {
  return answer !== undefined && query.get('limit') !== '0';
}

function fromTheStart({ request }: Exchange): boolean {
  return !request.target.includes('after=');
}
