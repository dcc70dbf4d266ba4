import { expect, test } from 'vitest';
import { parseRetryAfter, RateLimiter } from './rate-limiter.ts';

test('no more requests are sent in a second than allowed', async () => {
  const rateLimiter = new RateLimiter(200);
  const began = performance.now();
  await Promise.all(Array.from({ length: 6 }, () => rateLimiter.waitForTurn(undefined)));
  // Five gaps of five milliseconds; each timer may be up to one millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(20);
});

test('a wait that the target asks for also delays requests that already wait for their turn', async () => {
  const rateLimiter = new RateLimiter(100);
  const began = performance.now();
  const turns = Array.from({ length: 3 }, async () => {
    await rateLimiter.waitForTurn(undefined);
    return performance.now() - began;
  });
  rateLimiter.hold(100);
  const [first = 0, ...others] = await Promise.all(turns);
  expect(first).toBeLessThan(50);
  // A timer may be up to one millisecond early.
  for (const turn of others) expect(turn).toBeGreaterThanOrEqual(99);
});

test('a stop ends the wait that the target asked for', async () => {
  const rateLimiter = new RateLimiter(null);
  await rateLimiter.waitForTurn(undefined);
  rateLimiter.hold(60_000);
  const stop = new AbortController();
  const waiting = rateLimiter.waitForTurn(stop.signal);
  stop.abort();
  await expect(waiting).rejects.toThrow('abort');
});

test('Retry-After is read as seconds or as a date, and a date in the past as no wait', () => {
  const now = Date.parse('2030-01-01T00:00:00Z');
  expect(parseRetryAfter('2', now)).toBe(2000);
  expect(parseRetryAfter('0.5', now)).toBe(500);
  expect(parseRetryAfter('Tue, 01 Jan 2030 00:00:07 GMT', now)).toBe(7000);
  expect(parseRetryAfter('Mon, 31 Dec 2029 23:59:00 GMT', now)).toBe(0);
});

test.each([null, 'soon', '-5', 'try 5'])('Retry-After without seconds or a date is ignored: %j', (value) => {
  expect(parseRetryAfter(value, Date.now())).toBeNull();
});

test('a wait is reported again only if it becomes at least a second longer', () => {
  const rateLimiter = new RateLimiter(null);
  expect([2000, 2001, 500, 60_000, 60_000].map((wait) => rateLimiter.hold(wait))).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
});
