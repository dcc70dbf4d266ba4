import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../schemas/json.ts';
import { briefJson, printable, truncateText } from './printable.ts';

test('a truncated text ends with an ellipsis, and keeps no half of a surrogate pair', () => {
  expect(truncateText('abc', 3)).toBe('abc');
  expect(truncateText('abcd', 3)).toBe('ab…');
  expect(truncateText('a😀bc', 3)).toBe('a…');
});

test('the brief JSON of any value is one printable line within its limit', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 5, max: 80 }), (value, limit) => {
      const text = briefJson(value as Json, limit); // as: fast-check's own JSON type
      expect(text.length).toBeLessThanOrEqual(limit);
      expect(text).toBe(printable(text));
      expect(Buffer.from(text).toString()).toBe(text);
    }),
  );
});
