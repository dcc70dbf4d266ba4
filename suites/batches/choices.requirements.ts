import { allEdits, setIn, setValue, succeedInstead } from '../vocabulary/changes.ts';
import { fieldValue, listOrder, outcome, transition } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { responses, successions, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Call } from '../vocabulary/types.ts';
import { editResultLines } from './mutations.ts';
import { allResultLines, batchResults } from './results.ts';
import { isBatchOver } from './samples.ts';

const { choice } = section('2 Batch');
const statesAndTransitions = section('2 States and transitions');
/** Operations whose response is a batch. */
const TELLING = ['createBatch', 'retrieveBatch', 'cancelBatch'];

export const batchesStatusValues = choice('batches.status.values', {
  several: true,
  says: 'The states of a batch beyond those of the specification.',
  alternatives: ['validating', 'in_progress', 'finalizing', 'completed', 'cancelling', 'cancelled', 'failed'],
  selector: responses(TELLING),
  taken: fieldValue('status'),
  examples: { in_progress: setIn('retrieveBatch', '/status', 'in_progress') },
});

export const batchesStatusTransitions = statesAndTransitions.choice('batches.status.transitions', {
  several: true,
  says: 'The transitions between states of a batch that were seen.',
  alternatives: ['validating to in_progress', 'in_progress to finalizing', 'finalizing to completed'],
  selector: successions({ first: TELLING, later: TELLING }),
  taken: transition('status'),
});

export const batchesCancelAgain = statesAndTransitions.choice('batches.cancel.again', {
  says: 'The response to a cancellation of a batch that is being cancelled already.',
  alternatives: ['refused', 'returned unchanged'],
  selector: where(
    successions({ first: TELLING, later: 'cancelBatch' }),
    ({ before, after }) => valueAtPath(before.responseJson, 'status') === 'cancelling' && isConclusive(after),
  ),
  taken: outcome('returned unchanged'),
});

export const batchesCancelTooLate = statesAndTransitions.choice('batches.cancel.too-late', {
  says: 'The response to a cancellation of a batch that has ended.',
  alternatives: ['refused', 'returned unchanged'],
  selector: where(
    successions({ first: TELLING, later: 'cancelBatch' }),
    ({ before, after }) =>
      before.responseJson !== undefined && isBatchOver(before.responseJson) && isConclusive(after),
  ),
  taken: outcome('returned unchanged'),
  examples: { 'returned unchanged': succeedInstead('cancelBatch', () => ({ status: 'completed' })) },
});

export const batchesCancelWhileValidating = statesAndTransitions.choice('batches.cancel.while-validating', {
  says: 'The response to a cancellation of a batch that is not in progress yet.',
  alternatives: ['cancelling', 'cancelled', 'refused'],
  selector: where(
    successions({ first: TELLING, later: 'cancelBatch' }),
    ({ before, after }) => valueAtPath(before.responseJson, 'status') === 'validating' && isConclusive(after),
  ),
  taken: ({ after }) =>
    after.responseClass === 'accepted' ? (textAt(after.responseJson, 'status') ?? null) : 'refused',
  examples: { cancelled: setIn('cancelBatch', '/status', 'cancelled') },
});

export const batchesErrorsForm = choice('batches.errors.form', {
  says: 'The fields of the errors of a batch.',
  places: ['batch:errors'],
  alternatives: ['object, data', 'null'],
  selector: where(responses('retrieveBatch'), ({ answer }) => valueAtPath(answer, 'status') === 'failed'),
  taken: ({ answer }) => {
    const reported = valueAtPath(answer, 'errors');
    return isObject(reported)
      ? Object.keys(reported).toSorted().reverse().join(', ')
      : reported === null
        ? 'null'
        : 'absent';
  },
  examples: { null: setIn('retrieveBatch', '/errors', null) },
});

export const batchesCompletedErrorFile = statesAndTransitions.choice('batches.completed.error-file', {
  says: 'Whether a completed batch without failures names an error file.',
  places: ['batch:error_file_id'],
  alternatives: ['null', 'a file'],
  selector: where(
    responses('retrieveBatch'),
    ({ answer }) =>
      valueAtPath(answer, 'status') === 'completed' && numberAt(answer, 'request_counts', 'failed') === 0,
  ),
  taken: ({ answer }) => (typeof valueAtPath(answer, 'error_file_id') === 'string' ? 'a file' : 'null'),
  examples: { 'a file': setIn('retrieveBatch', '/error_file_id', 'file-1') },
});

export const batchesResultsPurpose = choice('batches.results.purpose', {
  spec: '2 File',
  says: 'The purpose of the files of results.',
  alternatives: ['batch_output', 'batch'],
  selector: where(
    successions({ first: 'retrieveBatch', later: 'retrieveFile', about: resultFile }),
    ({ after }) => after.responseJson !== undefined,
  ),
  taken: fieldValue('purpose'),
  examples: { batch: setIn('retrieveFile', '/purpose', 'batch') },
});

export const batchesErrorLineResponse = choice('batches.error-line.response', {
  says: 'The content of a line of an error file.',
  alternatives: ['the answer', 'an error', 'both'],
  selector: where(batchResults, ({ errors: file }) => file !== null && file.lines.length > 0),
  taken: ({ errors: file }) => {
    const [line] = file === null ? [] : allResultLines(file);
    const [response, error] = ['response', 'error'].map((field) => isObject(valueAtPath(line?.value, field)));
    if (response && error) return 'both';
    return response ? 'the answer' : error ? 'an error' : null;
  },
  examples: {
    'an error': editResultLines(allEdits(setValue('/response', null), setValue('/error', { message: 'm' }))),
    both: editResultLines(setValue('/error', { message: 'm' })),
  },
});

export const batchesErrorsEndState = choice('batches.errors.end-state', {
  says: 'The final state of a batch that has errors in the lines of its input.',
  alternatives: ['failed', 'completed'],
  selector: where(
    successions({ first: 'createBatch', later: 'retrieveBatch' }),
    ({ after }) =>
      isBatchOver(after.responseJson ?? null) && arrayAt(after.responseJson, 'errors', 'data').length > 0,
  ),
  taken: fieldValue('status'),
  examples: { completed: setIn('retrieveBatch', '/status', 'completed') },
});

export const batchesCreateExpiresAt = choice('batches.create.expires-at', {
  says: 'The time at which a new batch expires.',
  places: ['batch:expires_at'],
  alternatives: ['24 hours after its creation', 'null'],
  selector: responses('createBatch'),
  taken: ({ answer }) => {
    const [created, expires] = [numberAt(answer, 'created_at'), numberAt(answer, 'expires_at')];
    if (expires === undefined) return valueAtPath(answer, 'expires_at') === null ? 'null' : 'absent';
    return created !== undefined && expires - created === 86_400
      ? '24 hours after its creation'
      : 'at another time';
  },
  examples: { null: setIn('createBatch', '/expires_at', null) },
});

export const batchesListOrder = choice('batches.list.order', {
  spec: '2 Batches',
  says: 'The order in which batches are listed.',
  alternatives: ['newest first', 'oldest first', 'neither'],
  selector: where(responses('listBatches'), ({ answer }) => arrayAt(answer, 'data').length > 1),
  taken: listOrder('created_at'),
  examples: { 'oldest first': setIn('listBatches', '/data', (data) => arrayAt(data).toReversed()) },
});

/**
 * Whether a response shows that something was done or was not: false for a 5xx, a reset or a rejection for
 * another reason.
 */
function isConclusive({ responseClass: outcome }: Call): boolean {
  return outcome === 'accepted' || outcome === 'rejected';
}

/**
 * The id of the file that a call concerns: the file of results in a completed batch, or the file that is
 * retrieved.
 */
function resultFile({ operation, responseJson: answer, path }: Call): string | undefined {
  if (operation.id === 'retrieveFile') return path['file_id'];
  return textAt(answer, 'output_file_id') ?? textAt(answer, 'error_file_id');
}

export const batchesResultsCounts = choice('batches.results.counts', {
  says: 'Whether the counts of a completed batch are the numbers of lines in its files.',
  alternatives: ['as many as lines', 'other numbers'],
  selector: where(batchResults, ({ batch }) => isObject(valueAtPath(batch, 'request_counts'))),
  taken: ({ batch, output, errors }) => {
    const lines = { completed: output?.lines.length ?? 0, failed: errors?.lines.length ?? 0 };
    const areAlike = Object.entries(lines).every(
      ([name, wanted]) => numberAt(batch, 'request_counts', name) === wanted,
    );
    return areAlike ? 'as many as lines' : 'other numbers';
  },
  examples: { 'other numbers': setIn('retrieveBatch', '/request_counts/failed', 77) },
});
