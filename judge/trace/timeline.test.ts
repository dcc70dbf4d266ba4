import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TraceSpan } from '../../exchange/exchange.ts';
import { Timeline } from './timeline.ts';

const at = (after: number, ended: number): TraceSpan => ({ after, ended });

test.each([
  ['before the first call does not count', at(1, 2), false],
  ['during the first call counts', at(3, 6), true],
  ['between the calls counts', at(5, 6), true],
  ['during the last call counts', at(9, 11), true],
  ['after the last call does not count', at(12, 13), false],
] as const)('a change %s', (_, change, expected) => {
  const timeline = new Timeline();
  timeline.note('a', change);
  expect(timeline.isChanged(['b', 'a'], at(4, 5), at(8, 10))).toBe(expected);
  expect(timeline.isChanged(['b'], at(4, 5), at(8, 10))).toBe(false);
});

test('repeating the two calls in question is not a change', () => {
  const timeline = new Timeline();
  const [since, until] = [at(1, 3), at(2, 5)];
  for (const span of [since, until]) timeline.note('a', span);
  expect(timeline.isChanged(['a'], since, until)).toBe(false);
  expect(timeline.isChanged(['a'], null, until)).toBe(true);
});

test('a change is never forgotten, however many there are', () => {
  const spans = fc.array(fc.tuple(fc.nat(3), fc.nat(5)), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(spans, fc.nat(200), fc.nat(200), (steps, since, length) => {
      const timeline = new Timeline();
      const question = [at(since, since), at(since + length, since + length + 1)] as const;
      let ended = 0;
      let isExpected = false;
      for (const [step, lasts] of steps) {
        ended += step + 1;
        const span = at(Math.max(0, ended - lasts), ended);
        timeline.note('a', span);
        const one = new Timeline();
        one.note('a', span);
        isExpected ||= one.isChanged(['a'], ...question);
      }
      expect(isExpected && !timeline.isChanged(['a'], ...question)).toBe(false);
    }),
  );
});

test('an object may have changed until the last dropped call ended', () => {
  const timeline = new Timeline(2);
  for (const [n, id] of ['a', 'b', 'c'].entries()) timeline.note(id, at(n, n + 1));
  expect(timeline.isChanged(['a'], at(0, 0), at(8, 9))).toBe(true);
  expect(timeline.isChanged(['other'], at(0, 0), at(8, 9))).toBe(true);
  expect(timeline.isChanged(['a'], at(1, 2), at(8, 9))).toBe(false);
  expect(timeline.isChanged(['c'], at(1, 2), at(8, 9))).toBe(true);
});
