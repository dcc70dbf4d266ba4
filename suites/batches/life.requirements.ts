import type { Json } from '../../exchange/body.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, isObject, number, text } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { relations } from '../generate/relations/relations.ts';
import { batch } from './resources.ts';
import { isOver } from './samples.ts';

const STATES = '2 States and transitions';

export const ofBatch = relations(batch);

export const validating = requirement({
  id: 'batches.create.validating',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'A new batch is validated first.',
  on: answers('createBatch'),
  check: ({ answer }) => {
    const actual = get(answer, 'status');
    return actual === 'validating' ? [] : [{ at: '/status', expected: 'validating', actual }];
  },
  breaks: {
    'begun at once': inAnswer('createBatch', put('/status', 'in_progress')),
    'over at once': inAnswer('createBatch', put('/status', 'completed')),
  },
});

export const fromZero = requirement({
  id: 'batches.create.counts-from-zero',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'The counts of a new batch are zero.',
  on: only(answers('createBatch'), ({ answer }) => isObject(get(answer, 'request_counts'))),
  check: ({ answer }) =>
    ['total', 'completed', 'failed'].flatMap((name) => {
      const actual = get(answer, 'request_counts', name);
      return actual === 0 || actual === undefined
        ? []
        : [{ at: `/request_counts/${name}`, expected: '0', actual }];
    }),
  breaks: {
    'a total': inAnswer('createBatch', put('/request_counts/total', 2)),
    'one completed': inAnswer('createBatch', put('/request_counts/completed', 1)),
    'one failed': inAnswer('createBatch', put('/request_counts/failed', 1)),
  },
});

export const cancelling = requirement({
  id: 'batches.cancel.cancelling',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'A batch in progress that is cancelled is answered as cancelling.',
  // Only one that was last seen on its way: what a later cancellation gives is left open.
  on: only(
    successions({ first: ['createBatch', 'retrieveBatch', 'cancelBatch'], later: 'cancelBatch' }),
    ({ before, after }) => isOnItsWay(before.answer) && after.answer !== undefined && !hasEnded(after.answer),
  ),
  check: ({ before, after }) => {
    const actual = get(after.answer, 'status');
    // One that has not begun has nothing to wind up.
    const atOnce = actual === 'cancelled' && get(before.answer, 'status') === 'validating';
    return actual === 'cancelling' || atOnce ? [] : [{ at: '/status', expected: 'cancelling', actual }];
  },
  breaks: {
    'goes on': inAnswer('cancelBatch', put('/status', 'in_progress')),
    'begins anew': inAnswer('cancelBatch', put('/status', 'validating')),
  },
});

export const cancellingAt = requirement({
  id: 'batches.cancel.tells-since-when',
  level: 'MUST',
  basis: 'stated',
  spec: STATES,
  says: 'A batch that is cancelled tells in `cancelling_at` since when, now and later.',
  on: only(
    successions({ first: 'cancelBatch', later: ['retrieveBatch', 'cancelBatch'] }),
    ({ before, after }) => get(before.answer, 'status') === 'cancelling' && after.answer !== undefined,
  ),
  check: ({ before, after }) => {
    const [wanted, actual] = [number(before.answer, 'cancelling_at'), get(after.answer, 'cancelling_at')];
    return wanted !== undefined && actual === wanted
      ? []
      : [{ at: '/cancelling_at', expected: `${wanted ?? 'a time'}, as it was told`, actual }];
  },
  breaks: {
    'forgotten later': inAnswer('retrieveBatch', put('/cancelling_at', null)),
    'never told': inAnswer('cancelBatch', put('/cancelling_at', null)),
    'another time later': inAnswer('retrieveBatch', put('/cancelling_at', 1)),
  },
});

export const cancelledId = requirement({
  id: 'batches.cancel.tells-id',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Batches',
  says: 'A cancellation is answered with the batch that was to be cancelled.',
  on: answers('cancelBatch'),
  check: ({ call, answer }) => {
    const [wanted, actual] = [call.path['batch_id'], get(answer, 'id')];
    return actual === wanted ? [] : [{ at: '/id', expected: `${wanted}`, actual }];
  },
  breaks: {
    'another batch': inAnswer('cancelBatch', put('/id', 'batch_other')),
    'no id': inAnswer('cancelBatch', remove('/id')),
  },
});

export const notResumed = requirement({
  id: 'batches.cancel.not-resumed',
  level: 'MUST',
  basis: 'implied',
  spec: STATES,
  says: 'A batch that is being cancelled is not begun anew.',
  on: only(
    successions({ first: 'cancelBatch', later: 'retrieveBatch' }),
    ({ before, after }) => get(before.answer, 'status') === 'cancelling' && after.answer !== undefined,
  ),
  check: ({ after }) => {
    const actual = get(after.answer, 'status');
    return actual === 'validating' || actual === 'in_progress'
      ? [{ at: '/status', expected: 'cancelling, or an end', actual }]
      : [];
  },
  breaks: {
    'goes on': inAnswer('retrieveBatch', put('/status', 'in_progress')),
    'begins again': inAnswer('retrieveBatch', put('/status', 'validating')),
  },
});

function isOnItsWay(answer: Json | undefined): boolean {
  const status = text(answer, 'status');
  return status !== undefined && status !== 'cancelling' && answer !== undefined && !isOver(answer);
}

/** Whether it ended, or wrote its results, by itself before the cancellation came, which is no answer to that. */
function hasEnded(answer: Json): boolean {
  const status = get(answer, 'status');
  return status === 'finalizing' || (isOver(answer) && status !== 'cancelled');
}
