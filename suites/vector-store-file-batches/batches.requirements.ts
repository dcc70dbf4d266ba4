import { status as answerStatus, inAnswer } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { back, both, retrieved } from './breaks.ts';
import { cancellations } from './cancellations.ts';
import { batchOf, moments } from './moments.ts';

const SPEC = '1 Vector store file batch';
const ENDPOINTS = '1 Vector store file batches';

export const sameBatch = requirement({
  id: 'vector-store-file-batches.cancel.same-batch',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A cancellation is answered with the file batch that it was for.',
  on: answers('cancelVectorStoreFileBatch'),
  check: ({ call, answer }) => {
    const wanted = { id: call.path['batch_id'], vector_store_id: call.path['vector_store_id'] };
    return Object.entries(wanted).flatMap(([field, id]) =>
      get(answer, field) === id ? [] : [{ at: `/${field}`, expected: `${id}`, actual: get(answer, field) }],
    );
  },
  breaks: {
    'another batch': inAnswer('cancelVectorStoreFileBatch', put('/id', 'vsfb_other')),
    'another store': inAnswer('cancelVectorStoreFileBatch', put('/vector_store_id', 'vs_other')),
  },
});

export const inProgress = requirement({
  id: 'vector-store-file-batches.create.in-progress',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A new file batch is in progress.',
  on: answers('createVectorStoreFileBatch'),
  check: ({ answer }) => {
    const actual = get(answer, 'status');
    return actual === 'in_progress' ? [] : [{ at: '/status', expected: 'in_progress', actual }];
  },
  breaks: {
    'cancelled at once': inAnswer('createVectorStoreFileBatch', put('/status', 'cancelled')),
    'being cancelled': inAnswer('createVectorStoreFileBatch', put('/status', 'cancelling')),
    'over at once': inAnswer('createVectorStoreFileBatch', put('/status', 'completed')),
  },
});

export const neverBack = requirement({
  id: 'vector-store-file-batches.states.never-back',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A file batch that has left in_progress never comes back to it: only its creation leads there.',
  on: only(moments(), ({ before }) => before !== null && before.status !== 'in_progress'),
  check: ({ status, before }) =>
    status === 'in_progress'
      ? [{ at: '/status', expected: `not in_progress after ${before?.status}`, actual: status }]
      : [],
  breaks: {
    'back in progress': back,
    'in progress after the cancellation': retrieved('cancelled', put('/status', 'in_progress')),
  },
});

export const byCancel = requirement({
  id: 'vector-store-file-batches.states.cancelling-by-cancel',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A file batch is cancelling only once it is asked to be cancelled.',
  on: only(
    successions({
      first: 'createVectorStoreFileBatch',
      later: 'retrieveVectorStoreFileBatch',
      until: ['cancelVectorStoreFileBatch'],
      about: batchOf,
    }),
    ({ after }) => text(after.answer, 'status') !== undefined,
  ),
  check: ({ after }) => {
    const actual = text(after.answer, 'status');
    return actual === 'cancelling' ? [{ at: '/status', expected: 'another state', actual }] : [];
  },
  breaks: {
    'nobody cancelled it': retrieved('not cancelled', put('/status', 'cancelling')),
    'always cancelling': inAnswer('retrieveVectorStoreFileBatch', put('/status', 'cancelling')),
  },
});

export const cancelling = requirement({
  id: 'vector-store-file-batches.cancel.leaves-in-progress',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A file batch in progress that is cancelled is cancelling, or past that: not in progress.',
  on: only(cancellations(), ({ cancel }) =>
    // What ended on its own while the cancellation was on its way proves nothing.
    ['in_progress', 'cancelling', 'cancelled'].includes(text(cancel.answer, 'status') ?? ''),
  ),
  check: ({ cancel }) => {
    const actual = text(cancel.answer, 'status');
    return actual === 'in_progress' ? [{ at: '/status', expected: 'cancelling', actual }] : [];
  },
  breaks: { 'still in progress': inAnswer('cancelVectorStoreFileBatch', put('/status', 'in_progress')) },
});

export const cancellable = requirement({
  id: 'vector-store-file-batches.cancel.accepted',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A file batch that is in progress lets itself be cancelled.',
  on: cancellations(),
  check: ({ cancel, after }) =>
    after === null
      ? []
      : [
          {
            at: 'status',
            expected: '2xx: the batch was in progress before and after',
            actual: cancel.status,
            exchange: cancel.exchange.id,
          },
        ],
  breaks: {
    'always refused': both(
      answerStatus('cancelVectorStoreFileBatch', 400),
      inAnswer('retrieveVectorStoreFileBatch', put('/status', 'in_progress')),
    ),
    'never found': both(
      answerStatus('cancelVectorStoreFileBatch', 404),
      inAnswer('retrieveVectorStoreFileBatch', put('/status', 'in_progress')),
    ),
  },
});
