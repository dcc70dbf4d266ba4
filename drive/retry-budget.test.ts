import { expect, test } from 'vitest';
import { RetryBudget } from './run-session.ts';

function asked(budget: RetryBudget, operation: string, times: number): void {
  for (let i = 0; i < times; i += 1) budget.ended(operation, 'asked for patience');
}

test('an operation that asks for patience again and again is not waited for, and others are', () => {
  const budget = new RetryBudget();
  asked(budget, 'createImage', 4);
  expect(budget.allows('createImage')).toBe(true);
  budget.ended('listFiles', 'answered');
  asked(budget, 'createImage', 1);
  expect([budget.allows('createImage'), budget.allows('listFiles')]).toEqual([false, true]);
});

test('one answer makes it worth waiting again', () => {
  const budget = new RetryBudget();
  asked(budget, 'createImage', 9);
  budget.ended('createImage', 'answered');
  expect(budget.allows('createImage')).toBe(true);
});

test('a target that only asks for patience is not waited for in any operation', () => {
  const budget = new RetryBudget();
  for (const operation of ['a', 'b', 'c', 'd', 'e']) asked(budget, operation, 4);
  expect(budget.allows('f')).toBe(false);
  budget.ended('f', 'answered');
  expect(budget.allows('f')).toBe(true);
});
