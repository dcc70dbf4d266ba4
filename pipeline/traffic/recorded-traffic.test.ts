import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCassette } from '../../exchange/cassette/cassette-writer.ts';
import { traceHeader } from '../../exchange/testing/trace-header.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { openRecordedTraffic, renumberItem } from './recorded-traffic.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-cassettes-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const shard = (index: number, of = 3) => ({ shard: { index, of } });
const targetAt = (baseUrl: string, name = 'service') => ({ target: { baseUrl, name } });

async function joinCassettes(...headers: readonly Partial<TraceHeader>[]): Promise<TraceHeader> {
  const dirs = headers.map((header, n) => {
    const dir = join(root, `${n}`);
    createCassette(dir, traceHeader(header)).finish();
    return dir;
  });
  const traffic = await openRecordedTraffic(dirs);
  traffic.close();
  return traffic.header;
}

test.each<[string, readonly Partial<TraceHeader>[], RegExp]>([
  ['a shard is missing', [shard(1), shard(3)], /^Shards are missing: 2 of 3\. Name all shards/],
  ['shards are missing', [shard(2, 4), shard(4, 4)], /^Shards are missing: 1, 3 of 4/],
  ['a shard is given twice', [shard(1), shard(2), shard(2), shard(3)], /^Shard 2 of 3 is given twice/],
  [
    'a whole run is among shards',
    [shard(1), {}],
    /not the shards of one run: .* is 1 of 3, .* is a whole run/,
  ],
  ['they are shards of different splits', [shard(1, 2), shard(2, 3)], /not the shards of one run/],
  [
    'they are of different targets',
    [targetAt('https://one.example/v1'), targetAt('https://two.example/v1')],
    /are of different targets, https:\/\/one\.example\/v1 and https:\/\/two\.example\/v1\. Judge them one at a time/,
  ],
])('cassettes are not joined if %s', async (_, headers, message) => {
  await expect(joinCassettes(...headers)).rejects.toThrow(message);
});

test('all shards are joined in any order', async () => {
  expect((await joinCassettes(shard(3), shard(1), shard(2))).shard).toBeNull();
});

test('the joined claims have the served version that all shards state, and none if they differ', async () => {
  const found = (version: 'v1' | 'v2') => ({
    claims: { families: ['assistants-v2'], version, how: 'auto' } as const,
  });
  const claimsOfShards = async (second: 'v1' | 'v2') =>
    (await joinCassettes({ ...shard(1, 2), ...found('v2') }, { ...shard(2, 2), ...found(second) })).claims;
  expect(await claimsOfShards('v2')).toEqual(found('v2').claims);
  expect(await claimsOfShards('v1')).toEqual({ families: ['assistants-v2'], how: 'auto' });
});

test('a cassette is rejected together with the root URL of a service', async () => {
  createCassette(root, traceHeader()).finish();
  await expect(openRecordedTraffic([root], { apiRoot: 'http://h' })).rejects.toThrow(`${root} is a cassette`);
});

test('a missing path with the root URL of a service is an error about a missing cassette', async () => {
  const path = join(root, 'missing');
  const message = `${path} does not contain a cassette`;
  await expect(openRecordedTraffic([path], { apiRoot: 'http://h' })).rejects.toThrow(message);
});

test('recordings of a local service are joined, whatever its ports', async () => {
  const first = targetAt('http://127.0.0.1:8000/v1');
  expect((await joinCassettes(first, targetAt('http://127.0.0.1:9000/v1'))).target).toEqual(first.target);
});

test('calls in flight when the target died get ids counted across all cassettes', () => {
  const call = { method: 'POST', path: '/v1/files' };
  const stopped = { note: 'stopped', after: 3, reason: 'target-died', detail: 'ECONNREFUSED' } as const;
  const underWay = (exchange: string) => [{ ...call, exchange }];
  expect(renumberItem({ ...stopped, underWay: underWay('e3') }, 7)).toMatchObject({
    underWay: underWay('e10'),
  });
});

test('the exchanges of a hint at random errors get ids counted across all cassettes', () => {
  const errors = {
    kind: 'errors-at-random',
    requests: 2,
    statuses: [500],
    operations: ['listFiles'],
  } as const;
  const hint = { note: 'hint', after: 9, hint: { ...errors, exchanges: ['e3', 'e5'] } } as const;
  expect(renumberItem(hint, 7)).toEqual({ ...hint, hint: { ...errors, exchanges: ['e10', 'e12'] } });
});
