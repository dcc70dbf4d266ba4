import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable } from '../../exchange/printable.ts';
import type { Json } from '../../schemas/json.ts';
import { excerpt, parsePlace } from './excerpt.ts';

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
  expect(excerpt([1, 2], [''], 20)).toBe('[1,2]');
  expect(excerpt(value, ['__proto__'], 20)).toBe('{"id":"x","choices"…');
});

test('the tokens of a place are those of its pointer into a response, and null if it has only words or is in a request', () => {
  expect(parsePlace('/data/0/a~1b')).toEqual(['data', '0', 'a/b']);
  expect(parsePlace('/metadata/a /b ')).toEqual(['metadata', 'a ', 'b ']);
  expect(parsePlace('event 3 /choices/0')).toEqual(['choices', '0']);
  expect(parsePlace('header content-type')).toBeNull();
  expect(parsePlace('request /model')).toBeNull();
  expect(parsePlace('')).toEqual([]);
});

test('an excerpt of any value is one well-formed, printable line within its limit', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.array(fc.string()),
      fc.integer({ min: 5, max: 80 }),
      (value, tokens, limit) => {
        const text = excerpt(value as Json, tokens, limit); // as: fast-check's own JSON type
        expect(text.length).toBeLessThanOrEqual(limit);
        expect(text).toBe(printable(text));
        expect(Buffer.from(text).toString()).toBe(text);
      },
    ),
  );
});
