import { removeIn, setIn } from '../vocabulary/changes.ts';
import { listOrder } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { responses, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Call } from '../vocabulary/types.ts';

const { choice } = section('2 Fine-tuning job event');
const ENDPOINTS = '2 Fine-tuning';
const EVENTS = 'listFineTuningEvents';

const events = where(responses(EVENTS), ({ answer }) => arrayAt(answer, 'data').length > 0);

export const fineTuningEventLevels = choice('fine-tuning.event.levels', {
  says: 'The levels of events.',
  alternatives: ['info', 'warn', 'info, warn'],
  selector: events,
  taken: ({ answer }) => values(answer, 'level'),
  examples: { warn: setIn(EVENTS, '/data/*/level', 'warn') },
});

export const fineTuningEventTypes = choice('fine-tuning.event.types', {
  says: 'The types of events.',
  places: ['fine_tuning.job.event:type'],
  alternatives: ['message', 'none'],
  selector: events,
  taken: ({ answer }) => values(answer, 'type'),
  examples: { none: removeIn(EVENTS, '/data/*/type') },
  takesAway: { none: ['fine_tuning.job.event:type#type'] },
});

export const fineTuningEventData = choice('fine-tuning.event.data', {
  says: 'The form of the data of an event.',
  alternatives: ['null', 'absent', 'an object'],
  selector: events,
  taken: ({ answer }) => {
    const reported = arrayAt(answer, 'data').map((event) => valueAtPath(event, 'data'));
    if (reported.some(isObject)) return 'an object';
    return reported.every((one) => one === undefined) ? 'absent' : 'null';
  },
  examples: {
    absent: removeIn(EVENTS, '/data/*/data'),
    'an object': setIn(EVENTS, '/data/*/data', {}),
  },
});

export const fineTuningCheckpointMetrics = choice('fine-tuning.checkpoint.metrics', {
  spec: '2 Fine-tuning checkpoint',
  says: 'The number of metrics of a checkpoint in a list.',
  alternatives: ['all seven', 'two'],
  selector: where(responses('listFineTuningCheckpoints'), ({ answer }) => arrayAt(answer, 'data').length > 0),
  taken: ({ answer }) => {
    const reported = valueAtPath(answer, 'data', 0, 'metrics');
    const count = isObject(reported) ? Object.keys(reported).length : 0;
    return count === 7 ? 'all seven' : count === 2 ? 'two' : `${count}`;
  },
  examples: {
    two: setIn('listFineTuningCheckpoints', '/data/*/metrics', {
      full_valid_loss: 1,
      full_valid_mean_token_accuracy: 1,
    }),
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
  selector: where(
    responses('listFineTuningJobs'),
    ({ answer, call }) => !call.query.has('limit') && valueAtPath(answer, 'has_more') === true,
  ),
  taken: ({ answer }) => `${arrayAt(answer, 'data').length}`,
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
    selector: where(responses(operation), ({ answer }) => arrayAt(answer, 'data').length > 1),
    taken: listOrder(field),
    examples: { 'oldest first': setIn(operation, '/data', (data) => arrayAt(data).toReversed()) },
  }),
);

function values(answer: Call['responseJson'], field: string): string {
  const reported = arrayAt(answer, 'data').flatMap((one) => textAt(one, field) ?? []);
  return reported.length === 0 ? 'none' : [...new Set(reported)].toSorted().join(', ');
}
