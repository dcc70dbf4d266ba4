import { expect, test } from 'vitest';
import type { LeftoverResource } from '../../drive/run.ts';
import { leftoverLines } from './leftover-lines.ts';

const target = {
  apiKey: null,
  keyVariable: 'MY_KEY',
  betaHeader: 'Vendor-Beta',
  baseUrl: 'http://127.0.0.1:1/v1',
  ledger: 'report/ledger.jsonl',
};

function createUndeletable(n: number, operation: string, state: string | null): LeftoverResource {
  const remainder = { why: 'not-deletable', state, children: [] } as const;
  return { n, operation, id: `job_${n}`, scenario: 'a', remainder, final: true };
}

test('objects that cannot be removed take one line for each kind, with a count for each reason', () => {
  const jobs = Array.from({ length: 70 }, (_, n) =>
    createUndeletable(n, 'createFineTuningJob', n < 68 ? 'cancelled' : 'succeeded'),
  );
  const batches = Array.from({ length: 40 }, (_, n) =>
    createUndeletable(100 + n, 'createBatch', 'completed'),
  );
  expect(leftoverLines([...jobs, ...batches, createUndeletable(200, 'createThread', null)], target)).toEqual([
    'stay on the target: 70 of createFineTuningJob (68 × cancelled, nothing deletes it; 2 × succeeded, nothing deletes it), listed in report/ledger.jsonl',
    'stay on the target: 40 of createBatch (completed, nothing deletes it), listed in report/ledger.jsonl',
    'stays on the target: job_200 of createThread (state unknown, nothing deletes it)',
  ]);
});

test('objects that no ledger lists are named one by one', () => {
  const batches = [1, 2].map((n) => createUndeletable(n, 'createBatch', 'completed'));
  expect(leftoverLines(batches, { ...target, ledger: null })).toEqual(
    ['job_1', 'job_2'].map(
      (id) => `stays on the target: ${id} of createBatch (completed, nothing deletes it)`,
    ),
  );
});

test('the command has the path of the dialect', () => {
  const remainder = { why: 'failed', message: 'no answer' } as const;
  const leftover = { n: 1, operation: 'createFile', id: 'x', scenario: 'a', remainder, final: false };
  const paths = { '/v1/files/{file_id}': '/v1/uploads/{file_id}' };
  const dialect = { given: 'own', name: 'own', digest: '', betaHeader: null, paths };
  expect(leftoverLines([leftover], { ...target, dialect })[1]).toBe(
    '  curl -sS -X DELETE http://127.0.0.1:1/v1/uploads/x',
  );
});

test('an object of an extension that is not loaded gets no command', () => {
  const remainder = { why: 'failed', message: 'no such operation' } as const;
  const leftover = { n: 1, operation: 'other.create', id: 'x', scenario: 'a', remainder, final: false };
  expect(leftoverLines([leftover], target)).toEqual([
    'left on the target: x of other.create (no such operation)',
  ]);
});

test.for(['..', '../models/m', '\ud800'])('an object whose id is %j gets no command', (id) => {
  const remainder = { why: 'failed', message: 'no answer' } as const;
  const leftover = { n: 1, operation: 'createFile', id, scenario: 'a', remainder, final: false };
  expect(leftoverLines([leftover], target)).toEqual([`left on the target: ${id} of createFile (no answer)`]);
});

test('objects that another attempt may remove are listed one by one, with the command that deletes them', () => {
  const remainder = { why: 'failed', message: 'no answer' } as const;
  const files = ['file-1', 'file-2'].map((id, n) => ({
    n,
    operation: 'createFile',
    id,
    scenario: 'a',
    remainder,
    final: false,
  }));
  const lines = leftoverLines([createUndeletable(9, 'createBatch', 'completed'), ...files], target);
  expect(lines).toHaveLength(5);
  expect(lines[1]).toBe('left on the target: file-1 of createFile (no answer)');
  expect(lines[2]).toContain('curl -sS -X DELETE http://127.0.0.1:1/v1/files/file-1');
  expect(lines[3]).toBe('left on the target: file-2 of createFile (no answer)');
  expect(lines[4]).toContain('curl -sS -X DELETE http://127.0.0.1:1/v1/files/file-2');
});
