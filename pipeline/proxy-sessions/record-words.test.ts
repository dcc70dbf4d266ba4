import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCassette } from '../../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../../exchange/testing/trace-header.ts';
import { recorderRemarks } from './record-words.ts';
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
    'The compressed response body of e1 could not be read: secrets in it are not seen.',
  );
  expect(remarks.at(-1)).toBe(`3 more remarks are in ${join(root, 'c')}`);
});

test('a replay that leaves recordings unused says how to remove them', () => {
  const unused = { cassette: 'cassettes/session', exchange: 'e2', method: 'GET', target: '/v1/models' };
  const report = {
    answered: 1,
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
