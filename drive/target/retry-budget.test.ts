import { expect, test } from 'vitest';
import { RetryBudget } from './retries.ts';

function recordUnserved(budget: RetryBudget, operation: string, times: number): void {
  for (let i = 0; i < times; i += 1) budget.recordEnd(operation, 'unserved');
}

test('an operation with five unserved calls in a row is not retried, and others are', () => {
  const budget = new RetryBudget();
  recordUnserved(budget, 'createImage', 4);
  expect(budget.allows('createImage')).toBe(true);
  budget.recordEnd('listFiles', 'served');
  recordUnserved(budget, 'createImage', 1);
  expect([budget.allows('createImage'), budget.allows('listFiles')]).toEqual([false, true]);
});

test('one served call permits retries of its operation again', () => {
  const budget = new RetryBudget();
  recordUnserved(budget, 'createImage', 9);
  budget.recordEnd('createImage', 'served');
  expect(budget.allows('createImage')).toBe(true);
});

test('after twenty unserved calls in a row no operation is retried, until one call is served', () => {
  const budget = new RetryBudget();
  for (const operation of ['a', 'b', 'c', 'd', 'e']) recordUnserved(budget, operation, 4);
  expect(budget.allows('f')).toBe(false);
  budget.recordEnd('f', 'served');
  expect(budget.allows('f')).toBe(true);
});
