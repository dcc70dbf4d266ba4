import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { briefJson, printable, truncateText } from '../../exchange/printable.ts';
import { excerpt, tokensOfPointer } from './excerpt.ts';

test('the path to a place is written out, neighbours are elided, and a missing place shows the last value on its path', () => {
  const value = {
    id: 'x',
    choices: [{ index: 0 }, { index: 1, finish_reason: 'no', delta: {} }],
    usage: null,
  };
  expect(excerpt(value, ['choices', '1', 'finish_reason'], 200)).toBe(
    '{…"choices":[…{…"finish_reason":"no"…}]…}',
  );
  expect(excerpt(value, ['choices', '0', 'finish_reason'], 200)).toBe('{…"choices":[{"index":0}…]…}');
  expect(excerpt(value, ['__proto__'], 20)).toBe('{"id":"x","choices"…');
});

test('pointers are found after the words that locate them', () => {
  expect(tokensOfPointer('/data/0/a~1b')).toEqual(['data', '0', 'a/b']);
  expect(tokensOfPointer('event 3 /choices/0')).toEqual(['choices', '0']);
  expect(tokensOfPointer('header content-type')).toBeNull();
  expect(tokensOfPointer('')).toEqual([]);
});

test('an excerpt of any value is one safe line within its limit', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.array(fc.string()),
      fc.integer({ min: 5, max: 80 }),
      (value, tokens, limit) => {
        for (const text of [excerpt(value as Json, tokens, limit), briefJson(value as Json, limit)]) {
          // as: fast-check's own JSON type
          expect(text.length).toBeLessThanOrEqual(limit);
          expect(text).toBe(printable(text));
          expect(Buffer.from(text).toString()).toBe(text);
        }
      },
    ),
  );
});

test('a truncated text ends with an ellipsis, and keeps no half of a surrogate pair', () => {
  expect(truncateText('abc', 3)).toBe('abc');
  expect(truncateText('abcd', 3)).toBe('ab…');
  expect(truncateText('a😀bc', 3)).toBe('a…');
});
