import { inAnswer, succeedAnyway } from '../../judge/edit/breaks.ts';
import { all, put } from '../../judge/edit/values.ts';
import { get, isObject, number } from '../../judge/json.ts';
import type { Break, Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { succeedLater } from '../generate/misfit-breaks.ts';
import { type Misfit, misfits, undue } from '../generate/misfits.ts';
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
  'completed in the end': succeedLater('createBatch', 'retrieveBatch', 'completed'),
};

export const purpose = requirement({
  id: 'batches.input.purpose',
  level: 'MUST',
  basis: 'implied',
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
  basis: 'implied',
  spec: '2 Limits',
  says: 'A batch is refused, or fails, whose input has more than 50,000 requests.',
  on: only(misfit, ({ why }) => why === 'maxLines'),
  check: (one) => undue(one, 'completed'),
  breaks: {
    'completed nevertheless': inAnswer('retrieveBatch', put('/status', 'completed')),
    'completed at once': inAnswer('createBatch', put('/status', 'completed')),
  },
});

export const mostBytes = requirement({
  id: 'batches.input.most-bytes',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Limits',
  says: 'A batch is refused, or fails, whose input has more than 100 MB.',
  on: only(misfit, ({ why }) => why === 'maxBytes'),
  check: (one) => undue(one, 'completed'),
  breaks,
});

const OBJECT = '2 Batch';

/** Each line that is no request of this batch: what breaks it, and what is said of a batch that has one. */
const LINES = [
  ['format', '2 Limits', 'implied', 'A batch is refused or tells of a fault when its input is no JSONL.'],
  [
    'uniqueItems',
    OBJECT,
    'implied',
    'A batch is refused or tells of a fault when two requests share a custom_id.',
  ],
  [
    'fields',
    OBJECT,
    'implied',
    'A batch is refused or tells of a fault when a request has no custom_id, method, url or body.',
  ],
  [
    'method',
    OBJECT,
    'implied',
    'A batch is refused or tells of a fault when a request has a method other than POST.',
  ],
  [
    'url',
    OBJECT,
    'implied',
    'A batch is refused or tells of a fault when a request names an endpoint of no batch.',
  ],
  [
    'endpoint',
    OBJECT,
    'implied',
    'A batch is refused or tells of a fault when a request names another endpoint than it.',
  ],
] as const;

/** What they are called in ids, where the keyword alone says too little. */
const NAMES: Readonly<Record<string, string>> = { uniqueItems: 'custom-ids' };

export const lines = LINES.map(([keyword, spec, basis, says]) =>
  requirement({
    id: `batches.input.${NAMES[keyword] ?? keyword}`,
    level: 'MUST',
    basis,
    spec,
    says,
    on: only(misfit, ({ why }) => why === keyword),
    check: unnoticed,
    breaks: {
      'completed as if nothing were wrong': inAnswer(
        'retrieveBatch',
        all(put('/status', 'completed'), put('/errors', null), put('/request_counts/failed', 0)),
      ),
      'completed at once': inAnswer(
        'createBatch',
        all(put('/status', 'completed'), put('/errors', null), put('/request_counts/failed', 0)),
      ),
    },
  }),
);

/** Each request of a batch can fail for itself: one that tells so has not passed over what is wrong. */
function unnoticed(one: Misfit): Complaint[] {
  const { answer } = one.end;
  const isTold = (number(answer, 'request_counts', 'failed') ?? 0) > 0 || isObject(get(answer, 'errors'));
  return isTold ? [] : undue(one, 'completed');
}
