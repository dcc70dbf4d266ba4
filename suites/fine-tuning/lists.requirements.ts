import type { Call } from '../../judge/call.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, isObject, list, number, text } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';

const ENDPOINTS = '2 Fine-tuning';
const EVENTS = 'listFineTuningEvents';

const events = only(answers(EVENTS), ({ answer }) => list(answer, 'data').length > 0);

export const levels = choice({
  id: 'fine-tuning.event.levels',
  spec: '2 Fine-tuning job event',
  says: 'Which levels events have.',
  alternatives: ['info', 'warn', 'info, warn'],
  on: events,
  taken: ({ answer }) => values(answer, 'level'),
  examples: {
    warn: inAnswer(EVENTS, put('/data/*/level', 'warn')),
  },
});

export const types = choice({
  id: 'fine-tuning.event.types',
  spec: '2 Fine-tuning job event',
  says: 'Which types events have.',
  alternatives: ['message', 'none'],
  on: events,
  taken: ({ answer }) => values(answer, 'type'),
  examples: {
    none: inAnswer(EVENTS, remove('/data/*/type')),
  },
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
  examples: {
    absent: inAnswer(EVENTS, remove('/data/*/data')),
    'an object': inAnswer(EVENTS, put('/data/*/data', {})),
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
  examples: {
    two: inAnswer(
      'listFineTuningCheckpoints',
      put('/data/*/metrics', { full_valid_loss: 1, full_valid_mean_token_accuracy: 1 }),
    ),
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
    examples: {
      'oldest first': inAnswer(
        operation,
        put('/data', (data) => list(data).toReversed()),
      ),
    },
  }),
);

function values(answer: Call['answer'], field: string): string {
  const told = list(answer, 'data').flatMap((one) => text(one, field) ?? []);
  return told.length === 0 ? 'none' : [...new Set(told)].toSorted().join(', ');
}
