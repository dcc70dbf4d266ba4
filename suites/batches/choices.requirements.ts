import { cancelTimings } from '../generate/cancellations.ts';
import { choiceOf } from '../rows/rows.ts';
import { isObject, numberAt, valueAtPath } from '../vocabulary/json.ts';
import { responses } from '../vocabulary/selectors.ts';
import type { ResponseEvidence } from '../vocabulary/types.ts';
import { batchResults } from './results.ts';
import { batchCancellationPlan } from './samples.ts';

export const batchesCancelInTime = choiceOf('batches.cancel.in-time', {
  selector: cancelTimings({ ...batchCancellationPlan, running: ['validating', 'in_progress'] }),
  taken: ({ found }) => found,
});

export const batchesErrorsForm = choiceOf<ResponseEvidence>('batches.errors.form', {
  taken: ({ answer }) => {
    const reported = valueAtPath(answer, 'errors');
    return isObject(reported)
      ? Object.keys(reported).toSorted().reverse().join(', ')
      : reported === null
        ? 'null'
        : 'absent';
  },
});

export const batchesErrorLineResponse = choiceOf('batches.error-line.response', {
  selector: batchResults,
  taken: ({ errors: file }) => {
    const [line] = file === null ? [] : file.lines;
    const [response, error] = ['response', 'error'].map((field) => isObject(valueAtPath(line?.value, field)));
    if (response && error) return 'both';
    return response ? 'the answer' : error ? 'an error' : null;
  },
});

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

export const batchesResultsCounts = choiceOf('batches.results.counts', {
  selector: batchResults,
  taken: ({ batch, output, errors }) => {
    const lines = { completed: output?.lines.length ?? 0, failed: errors?.lines.length ?? 0 };
    const areAlike = Object.entries(lines).every(
      ([name, wanted]) => numberAt(batch, 'request_counts', name) === wanted,
    );
    return areAlike ? 'as many as lines' : 'other numbers';
  },
});
