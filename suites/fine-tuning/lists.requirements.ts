import { choiceOf } from '../rows/rows.ts';
import { setIn } from '../vocabulary/changes.ts';
import { listOrder } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { lists, responses, where } from '../vocabulary/selectors.ts';
import type { Call, ResponseEvidence } from '../vocabulary/types.ts';

const EVENTS = 'listFineTuningEvents';

const events = where(responses(EVENTS), lists('data'));

export const fineTuningEventLevels = choiceOf('fine-tuning.event.levels', {
  selector: events,
  taken: ({ answer }) => values(answer, 'level'),
});

export const fineTuningEventTypes = choiceOf('fine-tuning.event.types', {
  selector: events,
  taken: ({ answer }) => values(answer, 'type'),
});

export const fineTuningCheckpointMetrics = choiceOf<ResponseEvidence>('fine-tuning.checkpoint.metrics', {
  taken: ({ answer }) => {
    const reported = valueAtPath(answer, 'data', 0, 'metrics');
    const names = isObject(reported) ? Object.keys(reported) : [];
    if (names.length === 7) return 'all seven';
    const areThoseOfSamples = names.length === 2 && names.every((name) => name.startsWith('full_valid_'));
    return areThoseOfSamples ? 'two' : `${names.length} of them`;
  },
});

export const fineTuningJobsLimit = choiceOf<ResponseEvidence>('fine-tuning.jobs.limit', {
  taken: ({ answer }) => `${arrayAt(answer, 'data').length}`,
});

export const orders = (
  [
    ['jobs', 'listFineTuningJobs', 'created_at'],
    ['events', 'listFineTuningEvents', 'created_at'],
    ['checkpoints', 'listFineTuningCheckpoints', 'step_number'],
  ] as const
).map(([what, operation, field]) =>
  choiceOf(`fine-tuning.${what}.order`, {
    selector: where(responses(operation), lists('data', 2)),
    taken: listOrder(field),
    examples: { 'oldest first': setIn(operation, '/data', (data) => arrayAt(data).toReversed()) },
  }),
);

function values(answer: Call['responseJson'], field: string): string {
  const reported = arrayAt(answer, 'data').flatMap((one) => textAt(one, field) ?? []);
  return reported.length === 0 ? 'none' : [...new Set(reported)].toSorted().join(', ');
}
