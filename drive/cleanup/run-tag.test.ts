import { expect, test } from 'vitest';
import { hasTag } from './run-tag.ts';

test.each([
  [{ filename: 'run-1.jsonl' }, true],
  [{ metadata: { name: 'the "run-1"' } }, true],
  ['line\nrun-1\nline', true],
  ['\u0001run-1\u2028', true],
  ['run-12', false],
  ['my-run-1', false],
  ['run-12 and run-1', true],
  ['', false],
])('whether %j contains the tag run-1 is %s', (element, expected) => {
  expect(hasTag(element, 'run-1')).toBe(expected);
});
