import { inAnswer, succeedAnyway } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import type { Break } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { misfits, undue } from '../generate/misfits.ts';
import { isOver } from './samples.ts';

const misfit = misfits({
  create: 'createBatch',
  retrieve: 'retrieveBatch',
  fields: ['input_file_id'],
  purpose: 'batch',
  isOver,
});

const ENDPOINTS = '2 Batches';

const breaks: Readonly<Record<string, Break>> = {
  'completed nevertheless': succeedAnyway('createBatch', () => ({ id: 'batch_1', status: 'completed' })),
};

export const purpose = requirement({
  id: 'batches.input.purpose',
  level: 'MUST',
  basis: 'stated',
  spec: ENDPOINTS,
  says: 'A batch is refused, or fails, whose input was uploaded for another purpose.',
  on: only(misfit, ({ why }) => why === 'purpose'),
  check: (one) => undue(one, 'completed'),
  breaks,
});

export const known = requirement({
  id: 'batches.input.known',
  level: 'MUST',
  basis: 'implied',
  spec: ENDPOINTS,
  says: 'A batch is refused, or fails, whose input is no file.',
  on: only(misfit, ({ why }) => why === 'unknown'),
  check: (one) => undue(one, 'completed'),
  breaks,
});

export const mostRequests = requirement({
  id: 'batches.input.most-requests',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Limits',
  says: 'A batch is refused, or fails, whose input has more than 50,000 requests.',
  on: only(misfit, ({ why }) => why === 'maxLines'),
  check: (one) => undue(one, 'completed'),
  breaks: {
    'completed nevertheless': inAnswer('retrieveBatch', put('/status', 'completed')),
  },
});

export const mostBytes = requirement({
  id: 'batches.input.most-bytes',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Limits',
  says: 'A batch is refused, or fails, whose input has more than 100 MB.',
  on: only(misfit, ({ why }) => why === 'maxBytes'),
  check: (one) => undue(one, 'completed'),
  breaks,
});
