import {
  type InvalidFileUse,
  invalidFileUses,
  succeedEventually,
  unexpectedSuccesses,
  usedFor,
} from '../generate/invalid-files.ts';

import { rowOf } from '../rows/rows.ts';
import { setAllIn, succeedInstead } from '../vocabulary/changes.ts';
import { isObject, numberAt, valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import { requirement, section } from '../vocabulary/statements.ts';
import type { Mutation, Violation } from '../vocabulary/types.ts';
import { isBatchOver } from './samples.ts';

const { implied } = section('2 Batches');
const limits = section('2 Limits');

const use = invalidFileUses({
  create: 'createBatch',
  retrieve: 'retrieveBatch',
  fields: ['input_file_id'],
  purpose: 'batch',
  isOver: isBatchOver,
});

const mutations: Readonly<Record<string, Mutation>> = {
  'completed nevertheless': succeedInstead('createBatch', () => ({ id: 'batch_1', status: 'completed' })),
  'completed in the end': succeedEventually('createBatch', 'retrieveBatch', 'completed'),
};

export const batchesInputPurpose = implied('batches.input.purpose', {
  says: 'A batch whose input was uploaded for another purpose is rejected, or fails.',
  selector: where(use, usedFor('purpose')),
  check: (one) => unexpectedSuccesses(one, 'completed'),
  mutations,
});

export const batchesInputKnown = implied('batches.input.known', {
  says: 'A batch whose input file does not exist is rejected, or fails.',
  selector: where(use, usedFor('unknown')),
  check: (one) => unexpectedSuccesses(one, 'completed'),
  mutations,
});

export const batchesInputMostRequests = rowOf('batches.input.most-requests', {
  evidence: where(use, usedFor('maxLines')),
  check: (one) => unexpectedSuccesses(one, 'completed'),
});

export const batchesInputMostBytes = limits.implied('batches.input.most-bytes', {
  says: 'A batch whose input has more than 100 MB is rejected, or fails.',
  selector: where(use, usedFor('maxBytes')),
  check: (one) => unexpectedSuccesses(one, 'completed'),
  mutations,
});

const OBJECT = '2 Batch';

/** For each kind of invalid line: the rule that it violates, and the sentence of the requirement. */
const LINES = [
  ['format', '2 Limits', 'implied', 'A batch is rejected, or reports an error, when its input is not JSONL.'],
  [
    'uniqueItems',
    OBJECT,
    'implied',
    'A batch is rejected, or reports an error, when two requests share a custom_id.',
  ],
  [
    'fields',
    OBJECT,
    'implied',
    'A batch is rejected, or reports an error, when a request lacks custom_id, method, url or body.',
  ],
  [
    'method',
    OBJECT,
    'implied',
    'A batch is rejected, or reports an error, when a request has a method other than POST.',
  ],
  [
    'url',
    OBJECT,
    'implied',
    'A batch is rejected, or reports an error, when the endpoint of a request does not support batches.',
  ],
  [
    'endpoint',
    OBJECT,
    'implied',
    'A batch is rejected, or reports an error, when a request has another endpoint than the batch.',
  ],
] as const;

/** Names in ids of requirements where the keyword alone is ambiguous. */
const NAMES: Readonly<Record<string, string>> = { uniqueItems: 'custom-ids' };

/** Places of a batch that says nothing of its faults. */
const COMPLETED = { '/status': 'completed', '/errors': null, '/request_counts/failed': 0 };

export const lines = LINES.map(([keyword, spec, basis, says]) =>
  requirement({
    id: `batches.input.${NAMES[keyword] ?? keyword}`,
    level: 'MUST',
    basis,
    spec,
    says,
    selector: where(use, usedFor(keyword)),
    check: unnoticed,
    mutations: {
      'completed without errors': setAllIn('retrieveBatch', COMPLETED),
      'completed at once': setAllIn('createBatch', COMPLETED),
    },
  }),
);

/**
 * Each request of a batch can fail separately: a batch that reports a failure has not ignored the invalid
 * line.
 */
function unnoticed(one: InvalidFileUse): Violation[] {
  const { responseJson: answer } = one.end;
  const isReported =
    (numberAt(answer, 'request_counts', 'failed') ?? 0) > 0 || isObject(valueAtPath(answer, 'errors'));
  return isReported ? [] : unexpectedSuccesses(one, 'completed');
}
