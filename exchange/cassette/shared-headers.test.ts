import { beforeAll, expect, test, vi } from 'vitest';

let sharedHeader: (name: string, value: string) => unknown;

// A new module remembers nothing of other test files, which run in the same process.
beforeAll(async () => {
  vi.resetModules();
  ({ sharedHeader } = await import('./shared-headers.ts'));
});

test('headers with equal names and values share one pair', () => {
  const pair = sharedHeader('Content-Type', 'application/json');
  expect(sharedHeader(['Content', 'Type'].join('-'), 'application/json')).toBe(pair);
  expect(sharedHeader('content-type', 'application/json')).toEqual(['content-type', 'application/json']);
});

test('the first values of a field are kept, and later ones are returned unchanged', () => {
  const values = Array.from({ length: 500 }, (_, n) => `req_${n}`);
  for (const value of values) expect(sharedHeader('x-request-id', value)).toEqual(['x-request-id', value]);
  expect(sharedHeader('x-request-id', 'req_0')).toBe(sharedHeader('x-request-id', 'req_0'));
  expect(sharedHeader('x-request-id', 'req_499')).not.toBe(sharedHeader('x-request-id', 'req_499'));
});

test('a long value is not kept', () => {
  const long = 'x'.repeat(1000);
  expect(sharedHeader('cookie', long)).toEqual(['cookie', long]);
  expect(sharedHeader('cookie', long)).not.toBe(sharedHeader('cookie', long));
});
