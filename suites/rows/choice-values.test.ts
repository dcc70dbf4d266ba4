import { expect, test } from 'vitest';
import { bearers, equality, keysOf, stateOf, sumState, totalState } from './choice-values.ts';

test('a value is absent, null, empty or present', () => {
  const values = [undefined, null, '', [], {}, 0, 'text'];
  const states = ['absent', 'null', 'empty', 'empty', 'empty', 'there', 'there'];
  expect(values.map((value) => stateOf(value, 'there', 'empty'))).toEqual(states);
  expect([stateOf('text', null), stateOf('', 'there')]).toEqual([null, 'there']);
});

test('the names of fields are sorted, without the excluded ones', () => {
  expect([keysOf({ b: 1, a: 2, c: 3 }, 'c'), keysOf({}), keysOf([1])]).toEqual(['a, b', '', null]);
});

test('a total is compared with the sum of its parts, unless a number is missing', () => {
  expect([totalState(3, [1, 2]), totalState(4, [1, 2]), totalState(0, [])]).toEqual([
    'the sum',
    'another number',
    'the sum',
  ]);
  expect([totalState(undefined, [1]), totalState(3, [1, undefined, 2])]).toEqual([null, null]);
});

test('a field is compared with the sum of others, unless one of these is missing', () => {
  const values = [
    { a: 1, b: 2, all: 3 },
    { a: 1, b: 2, all: 4 },
    { a: 1, b: 2 },
    { a: 1, all: 1 },
  ];
  expect(values.map((value) => sumState(value, 'all', ['a', 'b']))).toEqual([
    'the sum',
    'another number',
    'another number',
    null,
  ]);
});

test('several values are all equal or not, and a single one shows nothing', () => {
  const values = [
    [1],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [1, 1, 2],
    [
      [1, 2],
      [2, 1],
    ],
  ];
  expect(values.map((each) => equality(each, 'same', 'other'))).toEqual([null, 'same', 'other', 'other']);
});

test('a property occurs in none, the first, some or all of the events of a stream', () => {
  const events = [[false], [true], [true, true], [true, false], [false, true]];
  expect(events.map(bearers)).toEqual(['none', 'the first', 'every one', 'the first', 'some of them']);
});
