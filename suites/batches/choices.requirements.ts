import type { Call } from '../../judge/call.ts';
import { inAnswer, succeedAnyway } from '../../judge/edit/breaks.ts';
import { all, put } from '../../judge/edit/values.ts';
import { get, isObject, list, number, text } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { choice } from '../../judge/write.ts';
import { inLines } from './break.ts';
import { linesRead, results } from './results.ts';
import { isOver } from './samples.ts';

const OBJECT = '2 Batch';
const STATES = '2 States and transitions';
/** Operations that answer with a batch. */
const TELLING = ['createBatch', 'retrieveBatch', 'cancelBatch'];

export const statuses = choice({
  id: 'batches.status.values',
  several: true,
  spec: OBJECT,
  says: 'Which states a batch is in beyond those that were seen.',
  alternatives: ['validating', 'in_progress', 'finalizing', 'completed', 'cancelling', 'cancelled', 'failed'],
  on: answers(TELLING),
  taken: ({ answer }) => text(answer, 'status') ?? null,
  examples: {
    in_progress: inAnswer('retrieveBatch', put('/status', 'in_progress')),
  },
});

export const transitions = choice({
  id: 'batches.status.transitions',
  several: true,
  spec: STATES,
  says: 'From which state to which a batch is seen to go.',
  alternatives: ['validating to in_progress', 'in_progress to finalizing', 'finalizing to completed'],
  on: successions({ first: TELLING, later: TELLING }),
  taken: ({ before, after }) => {
    const [from, to] = [text(before.answer, 'status'), text(after.answer, 'status')];
    return from === undefined || to === undefined || from === to ? null : `${from} to ${to}`;
  },
});

export const cancelTwice = choice({
  id: 'batches.cancel.again',
  spec: STATES,
  says: 'What becomes of a cancellation of a batch that is being cancelled already.',
  alternatives: ['refused', 'answered as it is'],
  on: only(successions({ first: TELLING, later: 'cancelBatch' }), ({ before, after }) => {
    return get(before.answer, 'status') === 'cancelling' && tells(after);
  }),
  taken: ({ after }) => (after.outcome === 'accepted' ? 'answered as it is' : 'refused'),
});

export const cancelTooLate = choice({
  id: 'batches.cancel.too-late',
  spec: STATES,
  says: 'What becomes of a cancellation of a batch that is over.',
  alternatives: ['refused', 'answered as it is'],
  on: only(successions({ first: TELLING, later: 'cancelBatch' }), ({ before, after }) => {
    return before.answer !== undefined && isOver(before.answer) && tells(after);
  }),
  taken: ({ after }) => (after.outcome === 'accepted' ? 'answered as it is' : 'refused'),
  examples: {
    'answered as it is': succeedAnyway('cancelBatch', () => ({ status: 'completed' })),
  },
});

export const errors = choice({
  id: 'batches.errors.form',
  spec: OBJECT,
  says: 'Which fields the errors of a batch have.',
  alternatives: ['object, data', 'null'],
  on: only(answers('retrieveBatch'), ({ answer }) => get(answer, 'status') === 'failed'),
  taken: ({ answer }) => {
    const told = get(answer, 'errors');
    return isObject(told)
      ? Object.keys(told).toSorted().reverse().join(', ')
      : told === null
        ? 'null'
        : 'absent';
  },
  examples: {
    null: inAnswer('retrieveBatch', put('/errors', null)),
  },
});

export const withoutFailures = choice({
  id: 'batches.completed.error-file',
  spec: STATES,
  says: 'Whether a completed batch without failures names an error file.',
  alternatives: ['null', 'a file'],
  on: only(answers('retrieveBatch'), ({ answer }) => {
    return get(answer, 'status') === 'completed' && number(answer, 'request_counts', 'failed') === 0;
  }),
  taken: ({ answer }) => (typeof get(answer, 'error_file_id') === 'string' ? 'a file' : 'null'),
  examples: {
    'a file': inAnswer('retrieveBatch', put('/error_file_id', 'file-1')),
  },
});

export const resultsPurpose = choice({
  id: 'batches.results.purpose',
  spec: '2 File',
  says: 'Which purpose the files of results have.',
  alternatives: ['batch_output', 'batch'],
  on: only(
    successions({ first: 'retrieveBatch', later: 'retrieveFile', about: resultFile }),
    ({ after }) => after.answer !== undefined,
  ),
  taken: ({ after }) => text(after.answer, 'purpose') ?? null,
  examples: {
    batch: inAnswer('retrieveFile', put('/purpose', 'batch')),
  },
});

export const errorLines = choice({
  id: 'batches.error-line.response',
  spec: OBJECT,
  says: 'What a line of an error file has.',
  alternatives: ['the answer', 'an error', 'both'],
  on: only(results, ({ errors: read }) => read !== null && read.lines.length > 0),
  taken: ({ errors: read }) => {
    const [line] = read === null ? [] : linesRead(read);
    const [response, error] = ['response', 'error'].map((field) => isObject(get(line?.value, field)));
    if (response && error) return 'both';
    return response ? 'the answer' : error ? 'an error' : null;
  },
  examples: {
    'an error': inLines(all(put('/response', null), put('/error', { message: 'm' }))),
    both: inLines(put('/error', { message: 'm' })),
  },
});

export const badLines = choice({
  id: 'batches.errors.end-state',
  spec: OBJECT,
  says: 'In which state a batch ends that tells errors of the lines of its input.',
  alternatives: ['failed', 'completed'],
  on: only(successions({ first: 'createBatch', later: 'retrieveBatch' }), ({ after }) => {
    return isOver(after.answer ?? null) && list(after.answer, 'errors', 'data').length > 0;
  }),
  taken: ({ after }) => text(after.answer, 'status') ?? null,
  examples: {
    completed: inAnswer('retrieveBatch', put('/status', 'completed')),
  },
});

export const expiresAt = choice({
  id: 'batches.create.expires-at',
  spec: OBJECT,
  says: 'When a new batch is told to expire.',
  alternatives: ['24 hours after its creation', 'not told'],
  on: answers('createBatch'),
  taken: ({ answer }) => {
    const [made, expires] = [number(answer, 'created_at'), number(answer, 'expires_at')];
    if (expires === undefined) return 'not told';
    return made !== undefined && expires - made === 86_400
      ? '24 hours after its creation'
      : 'at another time';
  },
  examples: {
    'not told': inAnswer('createBatch', put('/expires_at', null)),
  },
});

export const order = choice({
  id: 'batches.list.order',
  spec: '2 Batches',
  says: 'In which order batches are listed.',
  alternatives: ['newest first', 'oldest first', 'neither'],
  on: only(answers('listBatches'), ({ answer }) => list(answer, 'data').length > 1),
  taken: ({ answer }) => {
    const times = list(answer, 'data').map((one) => number(one, 'created_at') ?? 0);
    if (times.every((time) => time === times[0])) return null;
    if (times.every((time, i) => i === 0 || (times[i - 1] ?? 0) >= time)) return 'newest first';
    return times.every((time, i) => i === 0 || (times[i - 1] ?? 0) <= time) ? 'oldest first' : 'neither';
  },
  examples: {
    'oldest first': inAnswer(
      'listBatches',
      put('/data', (data) => list(data).toReversed()),
    ),
  },
});

/** Whether an answer tells that something was done, or was not. */
function tells({ outcome }: Call): boolean {
  return outcome === 'accepted' || outcome === 'rejected';
}

/** The file that a call is about: one that came of a completed batch, or that is looked at. */
function resultFile({ operation, answer, path }: Call): string | undefined {
  if (operation.id === 'retrieveFile') return path['file_id'];
  return text(answer, 'output_file_id') ?? text(answer, 'error_file_id');
}

export const counted = choice({
  id: 'batches.results.counts',
  spec: OBJECT,
  says: 'Whether a completed batch counts as completed and as failed what its files have lines for.',
  alternatives: ['as many as lines', 'other numbers'],
  on: only(results, ({ batch }) => isObject(get(batch, 'request_counts'))),
  taken: ({ batch, output, errors }) => {
    const lines = { completed: output?.lines.length ?? 0, failed: errors?.lines.length ?? 0 };
    const areAlike = Object.entries(lines).every(
      ([name, wanted]) => number(batch, 'request_counts', name) === wanted,
    );
    return areAlike ? 'as many as lines' : 'other numbers';
  },
  examples: { 'other numbers': inAnswer('retrieveBatch', put('/request_counts/failed', 77)) },
});
