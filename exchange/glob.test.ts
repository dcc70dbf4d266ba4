import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globsOverlap, matchesGlob } from './glob.ts';

const glob = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 7 }).map((letters) => letters.join(''));
const word = fc.array(fc.constantFrom('a', 'b'), { maxLength: 7 }).map((letters) => letters.join(''));

function regexp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
}

test('a text is matched as by a regular expression', () => {
  fc.assert(
    fc.property(glob, word, (pattern, text) => matchesGlob(pattern, text) === regexp(pattern).test(text)),
  );
});

test('a pattern that matches another matches all its texts', () => {
  fc.assert(
    fc.property(glob, glob, word, (outer, inner, text) => {
      if (matchesGlob(outer, inner) && regexp(inner).test(text)) expect(text).toMatch(regexp(outer));
    }),
  );
});

test('globs meet when a text is meant by both', () => {
  fc.assert(
    fc.property(glob, glob, word, (one, other, text) => {
      expect(globsOverlap(one, other)).toBe(globsOverlap(other, one));
      if (regexp(one).test(text) && regexp(other).test(text)) expect(globsOverlap(one, other)).toBe(true);
    }),
  );
  expect(globsOverlap('chat.stream.*', 'chat.*.done')).toBe(true);
  expect(globsOverlap('file:*', 'file.list:*')).toBe(false);
  expect(globsOverlap('*#maximum.rejected', 'createChatCompletion:body.temperature#*')).toBe(true);
});
