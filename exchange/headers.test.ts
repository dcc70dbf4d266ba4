import { expect, test } from 'vitest';
import { all, first, flat, has, pairs } from './headers.ts';

const headers = pairs(['Set-Cookie', 'a=1', 'X-One', '1', 'set-cookie', 'b=2']);

test('fields are found without regard to case, repeats in order', () => {
  expect(first(headers, 'SET-COOKIE')).toBe('a=1');
  expect(all(headers, 'set-cookie')).toEqual(['a=1', 'b=2']);
  expect(has(headers, 'x-one')).toBe(true);
  expect(first(headers, 'x-two')).toBeNull();
});

test('pairs and the flat list are each other back', () => {
  expect(flat(headers)).toEqual(['Set-Cookie', 'a=1', 'X-One', '1', 'set-cookie', 'b=2']);
});
