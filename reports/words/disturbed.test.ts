import { expect, test } from 'vitest';
import { disturbedLine } from './disturbed.ts';

const answer = {
  disturbance: 'rate-limit',
  request: 'POST /v1/files',
  retries: 0,
  retriedAfter: null,
  honoured: null,
  wentOn: false,
  createdTwice: [],
  usedHalf: false,
};
const retried = { ...answer, retries: 1, retriedAfter: 250 };

test.each([
  ['not repeated, no request followed', answer],
  ['not repeated, other requests followed', { ...answer, wentOn: true }],
  ['repeated once after 0.25 s, Retry-After ignored', { ...retried, honoured: false }],
  [
    'repeated once after 0.25 s, Retry-After honoured, half a stream was used as if it were whole',
    { ...retried, honoured: true, usedHalf: true },
  ],
  ['repeated once after 0.25 s, the object exists twice, a and b', { ...retried, createdTwice: ['a', 'b'] }],
  [
    'repeated 2 times after 0.25 s, the object exists 3 times, a and b and c',
    { ...retried, retries: 2, createdTwice: ['a', 'b', 'c'] },
  ],
])('a reaction reads: %s', (words, disturbed) => {
  expect(disturbedLine(disturbed)).toBe(`disturbed POST /v1/files by rate-limit: ${words}`);
});
