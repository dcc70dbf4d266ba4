import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesGlob } from './glob.ts';

const glob = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 7 }).map((letters) => letters.join(''));
const word = fc.array(fc.constantFrom('a', 'b'), { maxLength: 7 }).map((letters) => letters.join(''));

function regexp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
}

test('a pattern matches the same texts as a regular expression with .* in place of each asterisk', () => {
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
