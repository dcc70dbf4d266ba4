import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globCovers } from './glob.ts';

const glob = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 7 }).map((letters) => letters.join(''));
const word = fc.array(fc.constantFrom('a', 'b'), { maxLength: 7 }).map((letters) => letters.join(''));

function regexp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
}

test('a text is matched as by a regular expression', () => {
  fc.assert(
    fc.property(glob, word, (pattern, text) => globCovers(pattern, text) === regexp(pattern).test(text)),
  );
});

test('globs that cover each other mean what they say', () => {
  fc.assert(
    fc.property(glob, glob, word, (outer, inner, text) => {
      if (globCovers(outer, inner) && regexp(inner).test(text)) expect(text).toMatch(regexp(outer));
    }),
  );
});
