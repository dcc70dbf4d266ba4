import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCassette } from '../../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../../exchange/testing/trace-header.ts';
import { judgeRecorded } from '../judging/judge-recorded.ts';
import { withRecordedTraffic } from '../traffic/recorded-traffic.ts';
import { judgeInShares } from './judge-shares.ts';

test('threads judge the note of a last cassette without exchanges, as one thread does', async () => {
  const root = mkdtempSync(join(tmpdir(), 'assay-shares-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const paths = ['a', 'b', 'stopped'].map((name) => join(root, name));
  for (const path of paths) {
    const cassette = createCassette(path, traceHeader());
    if (path.endsWith('stopped'))
      cassette.note({ note: 'stopped', reason: 'budget', limit: 'requests', most: 1 });
    else await cassette.begin({ method: 'GET', target: '/v1/models', headers: [] }).end({ how: 'complete' });
    cassette.finish();
  }
  await withRecordedTraffic(paths, async (traffic) => {
    const settings = { dialect: null, extension: [] };
    const inShares = await judgeInShares(traffic, { dialect: null }, { jobs: 2, paths, settings });
    expect(inShares.judgement.stopReason).toBe('budget');
    expect(inShares).toEqual(await judgeRecorded(traffic, { dialect: null }));
  });
});
