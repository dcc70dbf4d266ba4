import { expect, test } from 'vitest';
import { quoteBeginning, truncateValue } from './findings.ts';

test('an object with long keys is too large to show', () => {
  expect(truncateValue({ ['k'.repeat(10_001)]: 1 })).toBe('an object with 1 member, too large to show');
  const small = { ['k'.repeat(9_000)]: 'v' };
  expect(truncateValue(small)).toBe(small);
});

test('a text is not cut within a character beyond U+FFFF', () => {
  expect(quoteBeginning(`${'a'.repeat(199)}😀`)).toBe('a'.repeat(199));
  expect(quoteBeginning(`${'a'.repeat(198)}😀b`)).toBe(`${'a'.repeat(198)}😀`);
  expect(truncateValue(`${'a'.repeat(9_999)}😀`)).toBe(`${'a'.repeat(9_999)}…`);
});
