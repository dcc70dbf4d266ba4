import { expect, test } from 'vitest';
import { replaySummary } from './replay-words.ts';

test('a replay that leaves recordings unused lists them and says how to remove them; another does not', () => {
  const unused = { cassette: 'cassettes/session', exchange: 'e2', method: 'GET', target: '/v1/models' };
  const report = {
    answered: 1,
    unreadable: 0,
    misses: [],
    unusedRecordings: [unused],
    leftoverCount: 1,
    again: 'npx assay record …',
  };
  const words = replaySummary(report as never); // as: what the summary reads
  expect(words).toContain('  never requested: GET /v1/models (e2 of cassettes/session)\n');
  expect(words).toContain(
    '  to remove what no client requests any more, record again without --mode new: npx assay record …',
  );
  const none = replaySummary({ ...report, unusedRecordings: [], leftoverCount: 0, again: null } as never); // as: what the summary reads
  expect(none).toBe('1 request answered, 0 misses, 0 left over');
});

test('a replay without a request gives no advice to record again, because nothing shows what clients request', () => {
  const unused = { cassette: 'c', exchange: 'e1', method: 'GET', target: '/v1/models' };
  const counts = { answered: 0, unreadable: 0, misses: [], unusedRecordings: [unused], leftoverCount: 1 };
  // as: what the summary reads
  const words = replaySummary({ ...counts, again: 'npx assay record …' } as never);
  expect(words).toBe(
    '0 requests answered, 0 misses, 1 left over\n  never requested: GET /v1/models (e1 of c)',
  );
});

test('a request whose recording cannot be read is not counted as answered', () => {
  const report = { misses: [], unusedRecordings: [], leftoverCount: 0, again: null };
  const summarise = (answered: number, unreadable: number) =>
    replaySummary({ ...report, answered, unreadable } as never); // as: what the summary reads
  expect(summarise(3, 0)).toBe('3 requests answered, 0 misses, 0 left over');
  expect(summarise(3, 2)).toBe(
    '1 request answered, 2 whose recording could not be read, 0 misses, 0 left over',
  );
  expect(summarise(1, 1)).toMatch(/^0 requests answered, 1 whose/);
});
