import fc from 'fast-check';
import { expect, test } from 'vitest';
import { covers, meet } from './glob.ts';

const glob = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 7 }).map((letters) => letters.join(''));
const word = fc.array(fc.constantFrom('a', 'b'), { maxLength: 7 }).map((letters) => letters.join(''));

function regexp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
}

test('a text is matched as by a regular expression', () => {
  fc.assert(fc.property(glob, word, (pattern, text) => covers(pattern, text) === regexp(pattern).test(text)));
});

test('globs that cover each other mean what they say', () => {
  fc.assert(
    fc.property(glob, glob, word, (outer, inner, text) => {
      if (covers(outer, inner) && regexp(inner).test(text)) expect(text).toMatch(regexp(outer));
    }),
  );
});

test('globs meet when a text is meant by both', () => {
  fc.assert(
    fc.property(glob, glob, word, (one, other, text) => {
      expect(meet(one, other)).toBe(meet(other, one));
      if (regexp(one).test(text) && regexp(other).test(text)) expect(meet(one, other)).toBe(true);
    }),
  );
  expect(meet('chat.stream.*', 'chat.*.done')).toBe(true);
  expect(meet('file:*', 'file.list:*')).toBe(false);
  expect(meet('*#maximum.rejected', 'createChatCompletion:body.temperature#*')).toBe(true);
});
