import { expect, test } from 'vitest';
import { requests } from '../evidence/calls.ts';
import { fieldIs, section } from './define.ts';

test('a field is compared by its content, and undefined means that it is absent', () => {
  const response = { error: { details: [{ code: 1 }] } };
  expect(fieldIs(response, 'error.details', [{ code: 1 }])).toEqual([]);
  expect(fieldIs(response, 'error.details', [{ code: 2 }])).toEqual([
    { at: '/error/details', expected: '[{"code":2}]', actual: [{ code: 1 }] },
  ]);
  expect(fieldIs(response, 'error.param', undefined)).toEqual([]);
  expect(fieldIs(response, 'error', undefined)).toMatchObject([{ expected: 'absent' }]);
});

test('a declaration whose key is undefined lacks the key', () => {
  const literal = { says: 'It sings.', selector: requests('listModels'), check: () => [], mutations: {} };
  const declare = (key: string) => section('2').stated('models.list.sung', { ...literal, [key]: undefined });
  for (const key of ['says', 'selector', 'check', 'mutations'])
    expect(() => declare(key)).toThrow(`The declaration of models.list.sung has no \`${key}\``);
});
