import { cancelTimings } from '../generate/cancellations.ts';
import { choiceOf } from '../rows/rows.ts';
import { setIn, setValue } from '../vocabulary/changes.ts';
import { fieldValue, listOrder, outcome, refusedOr, transition } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  answered,
  decided,
  lists,
  responses,
  showed,
  shows,
  successions,
  where,
} from '../vocabulary/selectors.ts';
import type { Call } from '../vocabulary/types.ts';
import { editResultLines } from './mutations.ts';
import { allResultLines, batchResults } from './results.ts';
import { batchCancellationPlan, isBatchOver } from './samples.ts';

/** Operations whose response is a batch. */
const TELLING = ['createBatch', 'retrieveBatch', 'cancelBatch'];
const RETRIEVE = 'retrieveBatch';
const retrieved = responses(RETRIEVE);
const cancellations = successions({ first: TELLING, later: 'cancelBatch' });

export const batchesStatusValues = choiceOf('batches.status.values', {
  selector: responses(TELLING),
  taken: fieldValue('status'),
});

export const batchesStatusTransitions = choiceOf('batches.status.transitions', {
  selector: successions({ first: TELLING, later: TELLING }),
  taken: transition('status'),
});

export const batchesCancelAgain = choiceOf('batches.cancel.again', {
  selector: where(cancellations, showed('status', 'cancelling'), decided),
  taken: outcome('returned unchanged'),
});

export const batchesCancelTooLate = choiceOf('batches.cancel.too-late', {
  selector: where(cancellations, decided, ({ before }) => isBatchOver(before.responseJson ?? null)),
  taken: outcome('returned unchanged'),
});

export const batchesCancelInTime = choiceOf('batches.cancel.in-time', {
  selector: cancelTimings({ ...batchCancellationPlan, running: ['validating', 'in_progress'] }),
  taken: ({ found }) => found,
});

export const batchesCancelWhileValidating = choiceOf('batches.cancel.while-validating', {
  selector: where(cancellations, showed('status', 'validating'), decided),
  taken: refusedOr(fieldValue('status')),
});

export const batchesErrorsForm = choiceOf('batches.errors.form', {
  selector: where(retrieved, shows('status', 'failed')),
  taken: ({ answer }) => {
    const reported = valueAtPath(answer, 'errors');
    return isObject(reported)
      ? Object.keys(reported).toSorted().reverse().join(', ')
      : reported === null
        ? 'null'
        : 'absent';
  },
});

export const batchesCompletedErrorFile = choiceOf('batches.completed.error-file', {
  selector: where(retrieved, shows('status', 'completed'), shows('request_counts.failed', 0)),
  taken: ({ answer }) => (typeof valueAtPath(answer, 'error_file_id') === 'string' ? 'a file' : 'null'),
});

export const batchesResultsPurpose = choiceOf('batches.results.purpose', {
  selector: where(successions({ first: RETRIEVE, later: 'retrieveFile', about: resultFile }), answered),
  taken: fieldValue('purpose'),
});

export const batchesErrorLineResponse = choiceOf('batches.error-line.response', {
  selector: where(batchResults, ({ errors: file }) => file !== null && file.lines.length > 0),
  taken: ({ errors: file }) => {
    const [line] = file === null ? [] : allResultLines(file);
    const [response, error] = ['response', 'error'].map((field) => isObject(valueAtPath(line?.value, field)));
    if (response && error) return 'both';
    return response ? 'the answer' : error ? 'an error' : null;
  },
  examples: {
    'an error': editResultLines(setValue('/response', null), setValue('/error', { message: 'm' })),
    both: editResultLines(setValue('/error', { message: 'm' })),
  },
});

export const batchesErrorsEndState = choiceOf('batches.errors.end-state', {
  selector: where(successions({ first: 'createBatch', later: RETRIEVE }), lists('errors.data'), ({ after }) =>
    isBatchOver(after.responseJson ?? null),
  ),
  taken: fieldValue('status'),
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

export const batchesListOrder = choiceOf('batches.list.order', {
  selector: where(responses('listBatches'), lists('data', 2)),
  taken: listOrder('created_at'),
  examples: { 'oldest first': setIn('listBatches', '/data', (data) => arrayAt(data).toReversed()) },
});

/**
 * The id of the file that a call concerns: the file of results in a completed batch, or the file that is
 * retrieved.
 */
function resultFile({ operation, responseJson: answer, path }: Call): string | undefined {
  if (operation.id === 'retrieveFile') return path['file_id'];
  return textAt(answer, 'output_file_id') ?? textAt(answer, 'error_file_id');
}

export const batchesResultsCounts = choiceOf('batches.results.counts', {
  selector: where(batchResults, ({ batch }) => isObject(valueAtPath(batch, 'request_counts'))),
  taken: ({ batch, output, errors }) => {
    const lines = { completed: output?.lines.length ?? 0, failed: errors?.lines.length ?? 0 };
    const areAlike = Object.entries(lines).every(
      ([name, wanted]) => numberAt(batch, 'request_counts', name) === wanted,
    );
    return areAlike ? 'as many as lines' : 'other numbers';
  },
});
