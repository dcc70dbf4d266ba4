import { expect, test } from 'vitest';
import { formatBytes } from './message-text.ts';

test.each([
  [999, '999 B'],
  [1000, '1.0 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1.0 MB'],
  [999_949_999, '999.9 MB'],
  [999_950_000, '1.0 GB'],
])('a size of %i bytes is written as %s', (count, text) => {
  expect(formatBytes(count)).toBe(text);
});
