import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCassette } from '../../exchange/cassette/cassette.ts';
import { createReplayFixture, postRequest } from '../testing/replay-fixture.ts';
import { parseAge } from './age.ts';
import { startReplayer } from './replay.ts';

const fixture = createReplayFixture();
const DAY = 86_400_000;
const createClock = (days: number) => () => Date.now() + days * DAY;

test('a replay of recordings older than the limit fails, and names the command that renews them', async () => {
  const messages: string[] = [];
  const dir = await fixture.writeCassette([{ body: '{}' }, { body: '[]' }]);
  const url = await fixture.start({
    cassettes: [dir],
    strict: false,
    client: 'npm test',
    maxAge: '7d',
    now: createClock(8),
    onStale: (words) => messages.push(words),
  });
  expect((await postRequest(url, '{}')).status).toBe(200);
  const cassette = await openCassette(dir);
  const recorded = new Date(cassette.began(0)).toISOString();
  cassette.close();
  expect(fixture.report()).toMatchObject({
    failed: true,
    stale: { count: 2, cassette: dir, exchange: 'e1', recorded, maxAge: '7d' },
  });
  const command = `npx assay record --base-url http://127.0.0.1:1/v1 --cassette ${dir} -- npm test`;
  expect(messages).toEqual([
    `2 recordings are older than 7d, or of unknown age\n      oldest    e1 of ${dir}, which was recorded at ${recorded}\n      again     ${command}`,
  ]);
});

test.each([
  ['younger than the limit', { maxAge: '7d', now: createClock(6.9) }],
  ['of any age without a limit', { now: createClock(5_000) }],
])('recordings %s are not stale', async (_, options) => {
  const messages: string[] = [];
  const dir = await fixture.writeCassette([{ body: '{}' }]);
  const onStale = (words: string) => messages.push(words);
  const replayer = await startReplayer({ cassettes: [dir], strict: false, onStale, ...options });
  expect(await replayer.close()).toMatchObject({ failed: false, stale: null });
  expect(messages).toEqual([]);
});

test('recordings without timestamps are stale, because nothing shows their age', async () => {
  const dir = await fixture.writeCassette([{ body: '{}' }]);
  rmSync(join(dir, 'timing.jsonl'));
  await fixture.start({ cassettes: [dir], strict: false, maxAge: '2w' });
  expect(fixture.report()).toMatchObject({ failed: true, stale: { recorded: null } });
});

test('an age has a number and a unit', async () => {
  expect(['90m', '12h', '7d', '0.5d', '2w'].map(parseAge)).toEqual([
    5_400_000,
    DAY / 2,
    7 * DAY,
    DAY / 2,
    14 * DAY,
  ]);
  expect(['7', 'd', '7 d', '-1d', '1e3d', '7y', ''].map(parseAge)).toEqual(Array(7).fill(null));
  await expect(fixture.serve([], { maxAge: 'week' })).rejects.toThrow('maxAge "week" is not an age');
});
