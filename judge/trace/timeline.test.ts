import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TraceSpan } from '../../exchange/exchange.ts';
import { Timeline } from './timeline.ts';

const createSpan = (after: number, ended: number): TraceSpan => ({ after, ended });

test.each([
  ['before the first call does not count', createSpan(1, 2), false],
  ['during the first call counts', createSpan(3, 6), true],
  ['between the calls counts', createSpan(5, 6), true],
  ['during the last call counts', createSpan(9, 11), true],
  ['after the last call does not count', createSpan(12, 13), false],
] as const)('a change %s', (_, change, expected) => {
  const timeline = new Timeline();
  timeline.note('a', change);
  expect(timeline.isChanged(['b', 'a'], createSpan(4, 5), createSpan(8, 10))).toBe(expected);
  expect(timeline.isChanged(['b'], createSpan(4, 5), createSpan(8, 10))).toBe(false);
});

test('the two calls that bound the question do not count as changes', () => {
  const timeline = new Timeline();
  const [since, until] = [createSpan(1, 3), createSpan(2, 5)];
  for (const span of [since, until]) timeline.note('a', span);
  expect(timeline.isChanged(['a'], since, until)).toBe(false);
});

test('without a first call, every earlier change counts', () => {
  const timeline = new Timeline();
  timeline.note('a', createSpan(1, 3));
  expect(timeline.isChanged(['a'], null, createSpan(2, 5))).toBe(true);
});

test('a change is not forgotten with an old call that bounds the question', () => {
  const timeline = new Timeline();
  const [change, until] = [createSpan(1, 2), createSpan(2, 3)];
  for (const span of [change, until]) timeline.note('a', span);
  for (let ended = 4; ended < 30; ended += 1) timeline.note('a', createSpan(ended - 1, ended));
  expect(timeline.isChanged(['a'], createSpan(0, 1), until)).toBe(true);
});

test('a change is never forgotten, however many there are', () => {
  const spans = fc.array(fc.tuple(fc.nat(3), fc.nat(5)), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(spans, fc.nat(200), fc.nat(200), (steps, since, length) => {
      const timeline = new Timeline();
      const question = [createSpan(since, since), createSpan(since + length, since + length + 1)] as const;
      let ended = 0;
      let isExpected = false;
      for (const [step, lasts] of steps) {
        ended += step + 1;
        const span = createSpan(Math.max(0, ended - lasts), ended);
        timeline.note('a', span);
        const single = new Timeline();
        single.note('a', span);
        isExpected ||= single.isChanged(['a'], ...question);
      }
      expect(isExpected && !timeline.isChanged(['a'], ...question)).toBe(false);
    }),
  );
});

test('an object may have changed until the last dropped call ended', () => {
  const timeline = new Timeline(2);
  for (const [n, id] of ['a', 'b', 'c'].entries()) timeline.note(id, createSpan(n, n + 1));
  expect(timeline.isChanged(['a'], createSpan(0, 0), createSpan(8, 9))).toBe(true);
  expect(timeline.isChanged(['other'], createSpan(0, 0), createSpan(8, 9))).toBe(true);
  expect(timeline.isChanged(['a'], createSpan(1, 2), createSpan(8, 9))).toBe(false);
  expect(timeline.isChanged(['c'], createSpan(1, 2), createSpan(8, 9))).toBe(true);
});
