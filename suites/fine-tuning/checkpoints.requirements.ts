import { choiceOf } from '../rows/rows.ts';
import { isObject, valueAtPath } from '../vocabulary/json.ts';
import type { ResponseEvidence } from '../vocabulary/types.ts';

export const fineTuningCheckpointMetrics = choiceOf<ResponseEvidence>('fine-tuning.checkpoint.metrics', {
  taken: ({ answer }) => {
    const metrics = valueAtPath(answer, 'data', 0, 'metrics');
    const names = isObject(metrics) ? Object.keys(metrics) : [];
    if (names.length === 7) return 'all seven';
    const areOfFullValidation = names.length === 2 && names.every((name) => name.startsWith('full_valid_'));
    return areOfFullValidation ? 'two' : `${names.length} of them`;
  },
});
