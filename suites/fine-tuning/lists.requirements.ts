import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { responses, where } from '../../judge/evidence/selectors/answers.ts';
import { inResponse } from '../../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import type { Call } from '../../judge/trace/call.ts';

const { choice } = section('2 Fine-tuning job event');
const ENDPOINTS = '2 Fine-tuning';
const EVENTS = 'listFineTuningEvents';

const events = where(responses(EVENTS), ({ json: answer }) => arrayAt(answer, 'data').length > 0);

export const fineTuningEventLevels = choice('fine-tuning.event.levels', {
  says: 'The levels of events.',
  alternatives: ['info', 'warn', 'info, warn'],
  selector: events,
  taken: ({ json: answer }) => values(answer, 'level'),
  examples: {
    warn: inResponse(EVENTS, setValue('/data/*/level', 'warn')),
  },
});

export const fineTuningEventTypes = choice('fine-tuning.event.types', {
  says: 'The types of events.',
  alternatives: ['message', 'none'],
  selector: events,
  taken: ({ json: answer }) => values(answer, 'type'),
  examples: {
    none: inResponse(EVENTS, removeValue('/data/*/type')),
  },
  takesAway: { none: ['fine_tuning.job.event:type#type'] },
});

export const fineTuningEventData = choice('fine-tuning.event.data', {
  says: 'The form of the data of an event.',
  alternatives: ['null', 'absent', 'an object'],
  selector: events,
  taken: ({ json: answer }) => {
    const reported = arrayAt(answer, 'data').map((event) => valueAtPath(event, 'data'));
    if (reported.some(isObject)) return 'an object';
    return reported.every((one) => one === undefined) ? 'absent' : 'null';
  },
  examples: {
    absent: inResponse(EVENTS, removeValue('/data/*/data')),
    'an object': inResponse(EVENTS, setValue('/data/*/data', {})),
  },
});

export const fineTuningCheckpointMetrics = choice('fine-tuning.checkpoint.metrics', {
  spec: '2 Fine-tuning checkpoint',
  says: 'The number of metrics of a checkpoint in a list.',
  alternatives: ['all seven', 'two'],
  selector: where(
    responses('listFineTuningCheckpoints'),
    ({ json: answer }) => arrayAt(answer, 'data').length > 0,
  ),
  taken: ({ json: answer }) => {
    const reported = valueAtPath(answer, 'data', 0, 'metrics');
    const count = isObject(reported) ? Object.keys(reported).length : 0;
    return count === 7 ? 'all seven' : count === 2 ? 'two' : `${count}`;
  },
  examples: {
    two: inResponse(
      'listFineTuningCheckpoints',
      setValue('/data/*/metrics', { full_valid_loss: 1, full_valid_mean_token_accuracy: 1 }),
    ),
  },
  takesAway: {
    two: [
      'fine_tuning.job.checkpoint:metrics.step#type',
      'fine_tuning.job.checkpoint:metrics.train_*#type',
      'fine_tuning.job.checkpoint:metrics.valid_*#type',
    ],
  },
});

export const fineTuningJobsLimit = choice('fine-tuning.jobs.limit', {
  spec: ENDPOINTS,
  says: 'The page size of a list of jobs without a limit.',
  alternatives: ['20', '10'],
  selector: where(responses('listFineTuningJobs'), ({ json: answer, call }) => {
    return !call.query.has('limit') && valueAtPath(answer, 'has_more') === true;
  }),
  taken: ({ json: answer }) => `${arrayAt(answer, 'data').length}`,
});

export const orders = (
  [
    ['jobs', 'listFineTuningJobs', 'created_at'],
    ['events', 'listFineTuningEvents', 'created_at'],
    ['checkpoints', 'listFineTuningCheckpoints', 'step_number'],
  ] as const
).map(([what, operation, field]) =>
  choice(`fine-tuning.${what}.order`, {
    spec: ENDPOINTS,
    says: `The order in which ${what} are listed.`,
    alternatives: ['newest first', 'oldest first', 'neither'],
    selector: where(responses(operation), ({ json: answer }) => arrayAt(answer, 'data').length > 1),
    taken: ({ json: answer }) => {
      const times = arrayAt(answer, 'data').map((one) => numberAt(one, field) ?? 0);
      if (times.every((time) => time === times[0])) return null;
      if (times.every((time, i) => i === 0 || (times[i - 1] ?? 0) >= time)) return 'newest first';
      return times.every((time, i) => i === 0 || (times[i - 1] ?? 0) <= time) ? 'oldest first' : 'neither';
    },
    examples: {
      'oldest first': inResponse(
        operation,
        setValue('/data', (data) => arrayAt(data).toReversed()),
      ),
    },
  }),
);

function values(answer: Call['responseJson'], field: string): string {
  const reported = arrayAt(answer, 'data').flatMap((one) => textAt(one, field) ?? []);
  return reported.length === 0 ? 'none' : [...new Set(reported)].toSorted().join(', ');
}
