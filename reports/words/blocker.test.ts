import { expect, test } from 'vitest';
import { blockerWords } from './blocker.ts';

const refused = { exchange: 'e7', message: 'POST /v1/x answered 400', requirements: 24 } as never; // as: the words alone count

test('an obstacle of several exchanges names the first and counts them', () => {
  expect(blockerWords(refused)).toBe('24 requirements blocked by exchange e7: POST /v1/x answered 400');
  expect(blockerWords({ ...(refused as object), exchanges: 22 } as never)).toBe(
    '24 requirements blocked by 22 exchanges, the first e7: POST /v1/x answered 400',
  ); // as: the same
});
