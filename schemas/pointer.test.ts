import { expect, test } from 'vitest';
import { isJsonPointer, valueAtPointer } from './pointer.ts';

test.each([
  ['', { a: [1] }, { a: [1] }],
  ['/a/0', { a: [1] }, 1],
  ['/a~1b/c~0d', { 'a/b': { 'c~d': null } }, null],
  ['/length', { length: 1 }, 1],
  ['/length', [1], undefined],
  ['/1', [1], undefined],
  ['/0', 'text', undefined],
  ['/constructor', {}, undefined],
])('the pointer %j into %j leads to %j', (pointer, value, found) => {
  expect(valueAtPointer(value, pointer)).toEqual(found);
});

test.each([
  ['/', true],
  ['/a\nb/c~0~1', true],
  ['', false],
  ['a', false],
  ['/a~2', false],
  ['/a~', false],
])('whether %j is a JSON pointer below the root: %j', (text, expected) => {
  expect(isJsonPointer(text)).toBe(expected);
});
