import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCassette } from '../../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../../exchange/testing/trace-header.ts';
import { lossWords, recorderRemarks, recordSummary } from './record-words.ts';
import { replaySummary } from './replay-words.ts';

test('content that cannot be searched for secrets is named, once', async () => {
  const root = mkdtempSync(join(tmpdir(), 'assay-remarks-'));
  const cassette = createCassette(join(root, 'c'), traceHeader());
  for (let n = 0; n < 2; n += 1) {
    const recording = cassette.begin({ method: 'GET', target: '/v1/models', headers: [] });
    recording.response({ status: 200, reason: 'OK', headers: [['Content-Encoding', 'zstd']] });
    recording.piece(Buffer.from('(\u00b5/\u00fd'));
    await recording.end({ how: 'complete' });
  }
  for (let n = 0; n < 12; n += 1) cassette.note({ note: 'remark', message: `remark ${n % 11}` });
  cassette.finish();
  const remarks = await recorderRemarks(join(root, 'c'));
  rmSync(root, { recursive: true, force: true });
  expect(remarks).toHaveLength(11);
  expect(remarks[0]).toBe(
    'The compressed response body of e1 could not be read: secrets in it are not replaced.',
  );
  expect(remarks.at(-1)).toBe(`3 more remarks are in ${join(root, 'c')}`);
});

test('a replay that leaves recordings unused says how to remove them', () => {
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
  expect(
    replaySummary({ ...report, unusedRecordings: [], leftoverCount: 0, again: null } as never),
  ).not.toContain(
    'to remove', // as: see above
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

test('the summary of a recording says how many exchanges are left if some hold a secret, which are no loss', () => {
  const report = {
    recorded: 3,
    exchanges: 2,
    replayed: 0,
    unreachable: null,
    aside: null,
    quarantined: {},
  } as never; // as: what the words read
  expect(recordSummary(report, 'c')).toBe('3 exchanges recorded in c, which now holds 2');
  expect(lossWords(report, 3)).toBeNull();
  expect(lossWords(report, 4)).toContain('held 4 exchanges, 1 more: ');
});
