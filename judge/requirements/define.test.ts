import { expect, test } from 'vitest';
import { fieldIs } from './define.ts';

test('a field is compared by its content', () => {
  const response = { error: { details: [{ code: 1 }] } };
  expect(fieldIs(response, 'error.details', [{ code: 1 }])).toEqual([]);
  expect(fieldIs(response, 'error.details', [{ code: 2 }])).toEqual([
    { at: '/error/details', expected: '[{"code":2}]', actual: [{ code: 1 }] },
  ]);
  expect(fieldIs(response, 'error.param', undefined)).toEqual([]);
  expect(fieldIs(response, 'error', undefined)).toMatchObject([{ expected: 'absent' }]);
});
