import { expect, test } from 'vitest';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { isOfUnknownCaller } from './caller-identity.ts';

function isUnknownAt(host: string): boolean {
  return isOfUnknownCaller(new TraceBuilder().add('listFiles', { headers: [['host', host]] }));
}

test.each([
  'localhost:8080',
  'backend',
  '10.1.2.3:80',
  '0.0.0.0:8000',
  '[::1]:8080',
  '[fd12:3456::1]',
  '[fe80::1]:80',
])('without a key, all requests to %s have one sender', (host) => {
  expect(isUnknownAt(host)).toBe(false);
});

test.each(['api.example.com', '8.8.8.8:443', '[2001:db8::1]:443', '[::ffff:8.8.8.8]'])(
  'without a key, the sender of a request to %s is unknown',
  (host) => {
    expect(isUnknownAt(host)).toBe(true);
  },
);
