import { expect, test } from 'vitest';
import { jsonEdit } from './json-edits.ts';

test.each([
  [{ append: { '/a': 'x' } }, { a: 'yx', b: 1 }],
  [{ append: { '/b': '' } }, { a: 'y', b: '1' }],
  [{ prepend: { '/a': 'x' } }, { a: 'xy', b: 1 }],
  [{ rewrite: { '/a': ['y', 'z'] } }, { a: 'z', b: 1 }],
  [{ add: { '/b': 2 } }, { a: 'y', b: 3 }],
  [{ toggle: { '/b': [1, 2] } }, { a: 'y', b: 2 }],
  [{ fill: { '/b': 2, '/c': 3 } }, { a: 'y', b: 1, c: 3 }],
  [{ set: { '/c': 3 } }, { a: 'y', b: 1, c: 3 }],
] as const)('%j changes existing members; only set and fill create one', (row, expected) => {
  expect(jsonEdit(row)({ a: 'y', b: 1 })).toEqual(expected);
});

test.each([
  { append: { '/a': 'x', '/b': 'x' } },
  { prepend: { '/a': 'x', '/b': 'x' } },
  { rewrite: { '/a': ['', 'x'], '/b': ['', 'x'] } },
  { add: { '/a': 1 } },
  { toggle: { '/a': [1, 2] } },
  { repeat: { '/a': 'all', '/b': 'all' } },
  { reverse: ['/a', '/b'] },
] as const)('%j returns the same value if a member is missing or of another type', (row) => {
  const value = { b: null };
  expect(jsonEdit(row)(value)).toBe(value);
});
