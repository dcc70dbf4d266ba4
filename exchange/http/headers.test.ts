import { expect, test } from 'vitest';
import { allHeaders, firstHeader, hasHeader, headerPairs } from './headers.ts';

const headers = headerPairs(['Set-Cookie', 'a=1', 'X-One', '1', 'set-cookie', 'b=2']);

test('fields are found regardless of case, and repeated ones in order', () => {
  expect(firstHeader(headers, 'SET-COOKIE')).toBe('a=1');
  expect(allHeaders(headers, 'set-cookie')).toEqual(['a=1', 'b=2']);
  expect(hasHeader(headers, 'x-one')).toBe(true);
  expect(firstHeader(headers, 'x-two')).toBeNull();
});

test('a flat list becomes pairs', () => {
  expect(headers).toEqual([
    ['Set-Cookie', 'a=1'],
    ['X-One', '1'],
    ['set-cookie', 'b=2'],
  ]);
});
