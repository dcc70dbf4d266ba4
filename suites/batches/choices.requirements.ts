import { choiceOf } from '../rows/rows.ts';
import { numberAt, valueAtPath } from '../vocabulary/json.ts';
import { responses } from '../vocabulary/selectors.ts';

export const batchesCreateExpiresAt = choiceOf('batches.create.expires-at', {
  selector: responses('createBatch'),
  taken: ({ answer }) => {
    const [created, expires] = [numberAt(answer, 'created_at'), numberAt(answer, 'expires_at')];
    if (expires === undefined) return valueAtPath(answer, 'expires_at') === null ? 'null' : 'absent';
    return created !== undefined && expires - created === 86_400
      ? '24 hours after its creation'
      : 'at another time';
  },
});
