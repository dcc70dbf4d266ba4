import { expect, test } from 'vitest';
import { readDialect } from './dialect.ts';

const PATHS = { '/v1/models': '/v1/models/all' };

test.each([
  [{ erata: [] }, 'at its root it must NOT have additional properties: erata.'],
  [{ format: undefined }, "at its root it must have required property 'format'."],
  [{ format: 2 }, 'at /format it must be equal to constant: 1.'],
  [{ errata: [{ id: 'a', requirement: 'x', reason: 'r' }] }, 'additional properties: requirement.'],
  [{ errata: Array(2).fill({ id: 'a', reason: 'r', paths: PATHS }) }, 'it has 2 errata with the id a;'],
])('a dialect with %o is rejected with a message that says what is wrong', (members, message) => {
  const text = JSON.stringify({ format: 1, name: 'own', ...members });
  expect(() => readDialect(text, 'it')).toThrow(message);
});
