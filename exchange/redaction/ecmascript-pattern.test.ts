import { expect, test } from 'vitest';
import { linearTest } from './ecmascript-pattern.ts';

const PATTERNS = [
  '^\\S+$',
  '^.$',
  '^[\\s.]$',
  '^[^\\s]$',
  '^[\\S]$',
  '^[^\\S]$',
  '^\\.$',
  '^\\\\s$',
  '^[\\]\\s]$',
  '^\\u00e9$',
  '^\\u{1F600}$',
  '^\\uD83D\\uDE00$',
  '^[\\ud83d\\ude00-\\ud83d\\ude4f]$',
  '^\\\\uD83D$',
  '^[[:alpha:][x]?$',
  '^\\p{L}$',
  '^(?<name>a|b)$',
  '^[\\w.-]+@x$',
  '\\bfoo\\b',
  '^[a-z]{1,64}$',
  '^\\/x$',
  '(?<=a)b$',
];
const SPECIAL = [
  '',
  '\n',
  '\r',
  '\u2028',
  '\u00a0',
  '\v',
  'é',
  '😀',
  '\ufeff',
  '\u180e',
  '\u200b',
  '\0',
  '\\uD83D',
  'a[',
  'foo',
  'a foo',
  'xfoo',
];
const ORDINARY = ['ab', 'b', '\\s', ']', '.', '/x', 'a@x', '-@x', 'a\n', 'A'];

test.each(PATTERNS)('%s means the same as in JavaScript', (pattern) => {
  const matches = linearTest(pattern);
  const expression = new RegExp(pattern, 'u');
  const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCodePoint(code));
  const texts = [...SPECIAL, ...ORDINARY, ...characters.filter((text) => !/[\ud800-\udfff]/.test(text))];
  expect(texts.filter((text) => matches(text) !== expression.test(text))).toEqual([]);
});

test.each(['(?=a)', '(?!a)b', '(a)\\1', '^a{2000}$'])('%s is rejected', (pattern) => {
  expect(() => linearTest(pattern)).toThrow(expect.objectContaining({ name: 'UnsupportedPattern' }));
});
