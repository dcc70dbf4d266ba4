import { expect, test } from 'vitest';
import { sharedHeader } from './shared-headers.ts';

test('headers with equal names and values share one pair', () => {
  const pair = sharedHeader('Content-Type', 'application/json');
  expect(sharedHeader(['Content', 'Type'].join('-'), 'application/json')).toBe(pair);
  expect(sharedHeader('content-type', 'application/json')).toEqual(['content-type', 'application/json']);
});

test('values that differ in each message stay correct and are not all kept', () => {
  const names = Array.from({ length: 500 }, (_, n) => `req_${n}`);
  for (const name of names) expect(sharedHeader('x-request-id', name)).toEqual(['x-request-id', name]);
  expect(sharedHeader('x-request-id', 'req_499')).not.toBe(sharedHeader('x-request-id', 'req_499'));
});

test('a long value is not kept', () => {
  const long = 'x'.repeat(1000);
  expect(sharedHeader('cookie', long)).toEqual(['cookie', long]);
  expect(sharedHeader('cookie', long)).not.toBe(sharedHeader('cookie', long));
});
