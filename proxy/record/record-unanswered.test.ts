import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deferred } from '../testing/deferred.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { requestBodyOf, startUpstream } from '../testing/upstream.ts';
import { type RecordOptions, startRecorder } from './record.ts';

const fixture = createRecordFixture();

const post = async (url: string, body: string) => (await fetch(`${url}/x`, { method: 'POST', body })).text();
const readCassetteText = () => readFileSync(join(fixture.cassette(), 'cassette.jsonl'), 'utf8');

function startEcho(options: Partial<RecordOptions> = {}) {
  return fixture.start(async (req, res) => res.end(await requestBodyOf(req)), options);
}

async function findClosedUrl(): Promise<string> {
  const { url, close } = await startUpstream(() => {});
  await close();
  return url;
}

test.each(['new', 'auto'] as const)(
  'a request that the service did not answer is not recorded in mode %s',
  async (mode) => {
    const recorder = await startRecorder({
      baseUrl: await findClosedUrl(),
      cassette: fixture.cassette(),
      mode,
    });
    expect(await post(recorder.url, 'a')).toContain('upstream_unreachable');
    expect(await recorder.close()).toMatchObject({
      recorded: 0,
      exchanges: 0,
      unanswered: 1,
      unreachable: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await post((await startEcho({ mode })).url, 'a')).toBe('a');
    expect(await fixture.stopRecorder()).toMatchObject({ recorded: 1, replayed: 0, unanswered: 0 });
  },
);

test('a request without a response is sent again by the next recorder in mode new, and known recordings stay', async () => {
  await post((await startEcho()).url, 'a');
  await fixture.stopRecorder();
  await fixture.stopService();
  const old = readCassetteText();
  const dead = await startRecorder({
    baseUrl: await findClosedUrl(),
    cassette: fixture.cassette(),
    mode: 'new',
  });
  expect(await post(dead.url, 'a')).toBe('a');
  expect(await post(dead.url, 'b')).toContain('upstream_unreachable');
  expect(await dead.close()).toMatchObject({ recorded: 0, exchanges: 1, replayed: 1, unanswered: 1 });
  expect(readCassetteText()).toBe(old);
  const { url } = await startEcho({ mode: 'new' });
  expect(await post(url, 'b')).toBe('b');
  expect(await fixture.stopRecorder()).toMatchObject({ recorded: 1, unanswered: 0 });
});

test('a request without a response is recorded in mode record', async () => {
  const recorder = await startRecorder({ baseUrl: await findClosedUrl(), cassette: fixture.cassette() });
  await post(recorder.url, 'a');
  expect(await recorder.close()).toMatchObject({ recorded: 1, unanswered: 0 });
});

test('a response that arrives late is recorded after earlier ones, with times since its own request began', async () => {
  const arrived = deferred();
  const released = deferred();
  const { url } = await fixture.start(
    async (req, res) => {
      const body = String(await requestBodyOf(req));
      if (body === 'slow') {
        arrived.resolve();
        await released.promise;
      }
      if (body === 'reset') res.socket?.resetAndDestroy();
      else res.end(body);
    },
    { mode: 'new' },
  );
  const slow = post(url, 'slow');
  await arrived.promise;
  await expect(post(url, 'reset')).rejects.toThrow('fetch failed');
  await post(url, 'quick');
  released.resolve();
  await slow;
  const all = await fixture.readExchanges();
  const order = all.map(({ request, after, ended }) => [request.body.text, after, ended]);
  expect(order).toEqual([
    ['quick', 0, 1],
    ['slow', 0, 2],
  ]);
  const [quick, late] = all;
  expect(late?.response?.pieces[0]?.at).toBeGreaterThan(quick?.end.at ?? 0);
});

test('the API key of an unanswered request is redacted in an exchange that ends before it', async () => {
  const arrived = deferred();
  const released = deferred();
  const { url } = await fixture.start(
    async (req, res) => {
      if (req.headers.authorization === undefined) {
        res.end('{"of":"another","key":"Key-0123456789abcdef"}');
        return;
      }
      arrived.resolve();
      await released.promise;
      res.socket?.resetAndDestroy();
    },
    { mode: 'new' },
  );
  const slow = expect(
    fetch(`${url}/x`, { headers: { authorization: 'Bearer Key-0123456789abcdef' } }),
  ).rejects.toThrow('fetch failed');
  await arrived.promise;
  await post(url, 'quick');
  released.resolve();
  await slow;
  expect(await fixture.stopRecorder()).toMatchObject({ recorded: 1, unanswered: 1 });
  expect(readCassetteText()).toContain('"of":"another"');
  expect(readCassetteText()).not.toContain('Key-0123456789abcdef');
});
