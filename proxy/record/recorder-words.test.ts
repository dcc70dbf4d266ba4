import { expect, test } from 'vitest';
import { quarantineWords } from './recorder-words.ts';

test.each([
  [1, 0, '1 exchange holds a known secret', 'written without it;'],
  [2, 0, '2 exchanges hold a known secret', 'written without them;'],
  [0, 1, '1 note holds a known secret', 'written without it;'],
  [1, 2, '1 exchange and 2 notes hold a known secret', 'written without them;'],
])('%i exchanges and %i notes with a secret are counted as %s', (exchanges, notes, found, omitted) => {
  const words = quarantineWords({ exchanges, notes, place: 'c/cassette.jsonl:2', aside: 'c.quarantine' });
  expect(words).toContain(found);
  expect(words).toContain(omitted);
});
